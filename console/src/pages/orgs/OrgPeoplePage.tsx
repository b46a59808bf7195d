import { Page } from "@/components/Page";

export function OrgPeoplePage() {
  return <Page title="OrgPeoplePage">{null}</Page>;
}
