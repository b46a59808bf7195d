import { Page } from "@/components/Page";

export function EntitlementsPage() {
  return <Page title="EntitlementsPage">{null}</Page>;
}
