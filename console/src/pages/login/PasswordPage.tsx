import { Page } from "@/components/Page";

export function PasswordPage() {
  return <Page title="PasswordPage">{null}</Page>;
}
