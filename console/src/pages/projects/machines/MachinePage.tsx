import { Page } from "@/components/Page";

export function MachinePage() {
  return <Page title="MachinePage">{null}</Page>;
}
