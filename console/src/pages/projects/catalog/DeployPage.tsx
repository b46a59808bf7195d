import { Page } from "@/components/Page";

export function DeployPage() {
  return <Page title="DeployPage">{null}</Page>;
}
