import { Page } from "@/components/Page";

export function PolicyPage() {
  return <Page title="PolicyPage">{null}</Page>;
}
