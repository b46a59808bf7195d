import { Page } from "@/components/Page";

export function GlobalPolicyPage() {
  return <Page title="GlobalPolicyPage">{null}</Page>;
}
