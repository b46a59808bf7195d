import { Page } from "@/components/Page";

export function PublishingPage() {
  return <Page title="PublishingPage">{null}</Page>;
}
