import { Page } from "@/components/Page";

export function MembersTab() {
  return <Page title="MembersTab">{null}</Page>;
}
