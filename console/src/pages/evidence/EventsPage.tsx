import { Page } from "@/components/Page";

export function EventsPage() {
  return <Page title="EventsPage">{null}</Page>;
}
