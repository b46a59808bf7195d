/** Values that the lists of a policy can be chosen from. */
import { useMemo } from "react";
import { useCan } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { ListName } from "@/pages/projects/policy/words";

/** What policy can refuse; what gives something back is not among it. */
export const GROWING = [
  "allocate",
  "instance.deploy",
  "instance.configure",
  "instance.upgrade",
  "instance.rollback",
  "instance.start",
  "instance.restart",
  "instance.repair",
  "member.add",
  "member.resume",
  "member.replace",
  "action",
  "credential.rotate",
  "artifact.pull",
  "node.session",
] as const;

export interface Known {
  lists: Record<ListName, string[]>;
  apps: { id: string; slug: string; name: string }[];
}

export function useKnown(): Known {
  const can = useCan();
  const enabled = (key: string) => ({ enabled: can(key).allowed });
  const regions = usePages("/v1/regions", {}, { limit: 200 }, enabled("infra.region.read"));
  const skus = usePages("/v1/skus", {}, { limit: 200 }, enabled("infra.sku.read"));
  const apps = usePages("/v1/apps", {}, { limit: 200 }, enabled("catalog.app.read"));
  return useMemo(
    () => ({
      lists: {
        operations: [...GROWING],
        regions: regions.items.map((region) => region.slug),
        skus: skus.items.map((sku) => sku.slug),
        channels: ["dev", "staging", "prod"],
        artifact_sources: ["store"],
      },
      apps: apps.items,
    }),
    [regions.items, skus.items, apps.items],
  );
}
