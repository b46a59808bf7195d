import { Page } from "@/components/Page";

export function NodesPage() {
  return <Page title="NodesPage">{null}</Page>;
}
