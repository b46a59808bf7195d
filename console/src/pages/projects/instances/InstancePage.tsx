import { Page } from "@/components/Page";

export function InstancePage() {
  return <Page title="InstancePage">{null}</Page>;
}
