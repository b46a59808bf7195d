import { Page } from "@/components/Page";

export function ConfigTab() {
  return <Page title="ConfigTab">{null}</Page>;
}
