import { Page } from "@/components/Page";

export function TriagePage() {
  return <Page title="TriagePage">{null}</Page>;
}
