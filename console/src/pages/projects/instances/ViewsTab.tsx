import { Page } from "@/components/Page";

export function ViewsTab() {
  return <Page title="ViewsTab">{null}</Page>;
}
