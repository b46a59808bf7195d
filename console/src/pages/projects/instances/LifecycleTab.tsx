import { Page } from "@/components/Page";

export function LifecycleTab() {
  return <Page title="LifecycleTab">{null}</Page>;
}
