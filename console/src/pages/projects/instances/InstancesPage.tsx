import { Page } from "@/components/Page";

export function InstancesPage() {
  return <Page title="InstancesPage">{null}</Page>;
}
