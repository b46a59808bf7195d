import { Page } from "@/components/Page";

export function OperationsTab() {
  return <Page title="OperationsTab">{null}</Page>;
}
