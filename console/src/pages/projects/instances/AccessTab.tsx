import { Page } from "@/components/Page";

export function AccessTab() {
  return <Page title="AccessTab">{null}</Page>;
}
