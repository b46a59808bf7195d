import { Page } from "@/components/Page";

export function VersionsTab() {
  return <Page title="VersionsTab">{null}</Page>;
}
