import { Page } from "@/components/Page";

export function OperationPage() {
  return <Page title="OperationPage">{null}</Page>;
}
