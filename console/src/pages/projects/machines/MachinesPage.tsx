import { Page } from "@/components/Page";

export function MachinesPage() {
  return <Page title="MachinesPage">{null}</Page>;
}
