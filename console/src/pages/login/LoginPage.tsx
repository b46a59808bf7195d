import { Page } from "@/components/Page";

export function LoginPage() {
  return <Page title="LoginPage">{null}</Page>;
}
