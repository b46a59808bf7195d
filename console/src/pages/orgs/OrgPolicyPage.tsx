import { Page } from "@/components/Page";

export function OrgPolicyPage() {
  return <Page title="OrgPolicyPage">{null}</Page>;
}
