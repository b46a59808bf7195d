import { Page } from "@/components/Page";

export function PeoplePage() {
  return <Page title="PeoplePage">{null}</Page>;
}
