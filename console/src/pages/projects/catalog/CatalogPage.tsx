import { Page } from "@/components/Page";

export function CatalogPage() {
  return <Page title="CatalogPage">{null}</Page>;
}
