import { Page } from "@/components/Page";

export function OrgsPage() {
  return <Page title="OrgsPage">{null}</Page>;
}
