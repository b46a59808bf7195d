import { Page } from "@/components/Page";

export function MePage() {
  return <Page title="MePage">{null}</Page>;
}
