import { Page } from "@/components/Page";

export function AppPage() {
  return <Page title="AppPage">{null}</Page>;
}
