import { Page } from "@/components/Page";

export function EventsTab() {
  return <Page title="EventsTab">{null}</Page>;
}
