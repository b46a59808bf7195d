/** The instance of the address, and what is read around it. */
import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, ask, client, type Key } from "@/lib/api";
import { type Manifest, manifestOf } from "@/lib/manifest";
import { type Instance, type Known, type Member, sinceOf, withChanged } from "@/lib/members";
import type { Pages } from "@/lib/pages";

const PAGE = 1_000;
const NONE: Member[] = [];

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

/**
 * All members that are there: a graph or a count of some would be wrong.
 *
 * They are read once; when something has happened to one of a thousand, only what changed is read.
 */
export function useMembers(instance: string): Pages<Member> {
  const queries = useQueryClient();
  const queryKey: Key = ["/v1/instances/{instance}/members", { instance }, null];
  const found = useQuery<Known>({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<Known>(queryKey);
      if (!known || known.hasMore)
        return readMembers(instance, {}, signal, (some) => queries.setQueryData(queryKey, some));
      const changed = { removed: true, changed_since: sinceOf(known.items) };
      const { items } = await readMembers(instance, changed, signal);
      return withChanged(known, items);
    },
  });
  return {
    items: found.data?.items ?? NONE,
    isPending: found.isPending,
    error: found.error,
    hasMore: found.data?.hasMore ?? false,
    isLoadingMore: found.isFetching,
    loadMore: () => void found.refetch(),
    refetch: () => void found.refetch(),
  };
}

async function readMembers(
  instance: string,
  narrowed: { removed?: boolean; changed_since?: string },
  signal: AbortSignal,
  onSome?: (some: Known) => void,
): Promise<Known> {
  const items: Member[] = [];
  let after: string | undefined;
  do {
    const page = await answer(
      client.GET("/v1/instances/{instance}/members", {
        params: { path: { instance }, query: { limit: PAGE, after, ...narrowed } },
        signal,
      }),
    );
    items.push(...page.items);
    after = page.next ?? undefined;
    if (after) onSome?.({ items: [...items], hasMore: true });
  } while (after);
  return { items, hasMore: false };
}
