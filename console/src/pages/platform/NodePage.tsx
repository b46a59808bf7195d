import { Page } from "@/components/Page";

export function NodePage() {
  return <Page title="NodePage">{null}</Page>;
}
