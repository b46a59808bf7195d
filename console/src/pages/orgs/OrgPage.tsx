import { Page } from "@/components/Page";

export function OrgPage() {
  return <Page title="OrgPage">{null}</Page>;
}
