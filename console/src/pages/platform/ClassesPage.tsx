import { Page } from "@/components/Page";

export function ClassesPage() {
  return <Page title="ClassesPage">{null}</Page>;
}
