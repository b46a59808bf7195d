import { Page } from "@/components/Page";

export function PublishedAppPage() {
  return <Page title="PublishedAppPage">{null}</Page>;
}
