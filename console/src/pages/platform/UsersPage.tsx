import { Page } from "@/components/Page";

export function UsersPage() {
  return <Page title="UsersPage">{null}</Page>;
}
