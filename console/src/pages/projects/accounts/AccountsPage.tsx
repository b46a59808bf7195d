import { Page } from "@/components/Page";

export function AccountsPage() {
  return <Page title="AccountsPage">{null}</Page>;
}
