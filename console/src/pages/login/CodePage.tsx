import { Page } from "@/components/Page";

export function CodePage() {
  return <Page title="CodePage">{null}</Page>;
}
