import { Page } from "@/components/Page";

export function OperationsPage() {
  return <Page title="OperationsPage">{null}</Page>;
}
