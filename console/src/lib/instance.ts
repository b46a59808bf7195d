/** The instance of the address, and what is read around it. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ask } from "@/lib/api";
import { type Manifest, manifestOf } from "@/lib/manifest";
import type { Instance, Member } from "@/lib/members";
import { type Pages, useAll, usePages } from "@/lib/pages";

/** For the tabs of an instance: its page shows none before it is there. */
export function useThisInstance(): Instance {
  const { instance = "" } = useParams({ strict: false });
  return useSuspenseQuery(ask("/v1/instances/{instance}", { instance })).data;
}

/** What the running version says about itself; null until it is known. */
export function useManifest(instance: Pick<Instance, "version_id">): Manifest | null {
  const found = useQuery(ask("/v1/app-versions/{version}", { version: instance.version_id }));
  return found.data ? manifestOf(found.data) : null;
}

/** All members that are there: a graph or a count of some would be wrong. */
export function useMembers(
  instance: string,
  { removed = false, enabled = true } = {},
): Pages<Member> {
  const query = { limit: 200, ...(removed ? { removed } : {}) };
  return useAll(usePages("/v1/instances/{instance}/members", { instance }, query, { enabled }));
}
