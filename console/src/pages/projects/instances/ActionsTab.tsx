import { Page } from "@/components/Page";

export function ActionsTab() {
  return <Page title="ActionsTab">{null}</Page>;
}
