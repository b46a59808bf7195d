import { Page } from "@/components/Page";

export function OverviewTab() {
  return <Page title="OverviewTab">{null}</Page>;
}
