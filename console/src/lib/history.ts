/**
 * Events backwards: the platform tells them forwards, by their numbers.
 *
 * A look back is a stretch of numbers, the newest first; it goes on until enough was found or the beginning
 * is reached. What happens meanwhile comes by the stream.
 */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { answer, client, type Schemas } from "@/lib/api";
import { stream } from "@/lib/live";

export type CloudEvent = Schemas["CloudEvent"];

const STRETCH = 1_000;
const ENOUGH = 50;

interface Look {
  items: CloudEvent[];
  /** Numbers up to here were not looked at yet; 0 at the beginning. */
  left: number;
}

/** Of what was told, that which stands in the stretch and is wanted, the newest first. */
export function backwards(
  told: readonly CloudEvent[],
  upto: number,
  wanted: (event: CloudEvent) => boolean,
): CloudEvent[] {
  return told.filter((event) => Number(event.sequence) <= upto && wanted(event)).reverse();
}

/** The new before the known, each once. */
export function joined(fresh: readonly CloudEvent[], known: readonly CloudEvent[]): CloudEvent[] {
  const seen = new Set(known.map(({ id }) => id));
  return [...fresh.filter(({ id }) => !seen.has(id)), ...known];
}

async function look(
  project: string,
  upto: number | null,
  wanted: (event: CloudEvent) => boolean,
  signal: AbortSignal,
): Promise<Look> {
  const ask = (after: string, limit: number) =>
    answer(
      client.GET("/v1/events", {
        params: { query: { project, type: ["apps.*"], after, limit } },
        signal,
      }),
    );
  const end = upto ?? Number((await ask("latest", 1)).next);
  const from = Math.max(0, end - STRETCH);
  const { items } = await ask(String(from), STRETCH);
  return { items: backwards(items, end, wanted), left: from };
}

/** What happened to an instance, the newest first. */
export function useHistory(project: string, instance: string) {
  const wanted = (event: CloudEvent) => event.appinstanceid === instance;
  const found = useInfiniteQuery({
    queryKey: ["history", { project, instance }, null],
    queryFn: ({ pageParam, signal }) => look(project, pageParam, wanted, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.left > 0 ? last.left : null),
  });
  const known = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data]);
  const [fresh, setFresh] = useState<CloudEvent[]>([]);
  useEffect(() => {
    setFresh([]);
    return stream.listen((event) => {
      if (event.appinstanceid === instance) setFresh((before) => [event, ...before]);
    });
  }, [instance]);
  const more = found.hasNextPage && !found.isFetching && !found.error && known.length < ENOUGH;
  const { fetchNextPage } = found;
  useEffect(() => {
    if (more) void fetchNextPage();
  }, [more, fetchNextPage]);
  return {
    items: useMemo(() => joined(fresh, known), [fresh, known]),
    isPending: found.isPending || (known.length === 0 && found.hasNextPage),
    error: found.error,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    refetch: () => void found.refetch(),
  };
}
