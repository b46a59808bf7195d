import { Page } from "@/components/Page";

export function AuditPage() {
  return <Page title="AuditPage">{null}</Page>;
}
