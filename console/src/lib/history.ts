/**
 * What happened, the newest first: earlier events page by page, and what happens meanwhile by the stream.
 *
 * Nothing here is asked for again when something happens: the stream has brought it already.
 */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { answer, client, type Schemas } from "@/lib/api";
import { stream } from "@/lib/live";
import type { Pages } from "@/lib/pages";

export type CloudEvent = Schemas["CloudEvent"];

const PAGE = 100;

/** What is left out is not narrowed. */
export interface Narrowed {
  instance?: string;
  project?: string;
  /** How types begin: `apps.member.` */
  area?: string;
}

export function isWanted(event: CloudEvent, { instance, project, area = "" }: Narrowed): boolean {
  return (
    event.type.startsWith(area) &&
    (instance === undefined || event.appinstanceid === instance) &&
    (project === undefined || event.projectid === project)
  );
}

/** The new before the known, each once. */
export function joined(fresh: readonly CloudEvent[], known: readonly CloudEvent[]): CloudEvent[] {
  const seen = new Set(known.map(({ id }) => id));
  return [...fresh.filter(({ id }) => !seen.has(id)), ...known];
}

function queryOf({ instance, project, area }: Narrowed) {
  return {
    newest_first: true,
    limit: PAGE,
    ...(instance ? { instance } : {}),
    ...(project ? { project } : {}),
    ...(area ? { type: [`${area}*`] } : {}),
  };
}

export function useHistory(narrowed: Narrowed): Pages<CloudEvent> {
  const { instance, project, area } = narrowed;
  const found = useInfiniteQuery({
    queryKey: ["history", { instance, project, area }, null],
    queryFn: ({ pageParam: after, signal }) =>
      answer(
        client.GET("/v1/events", {
          params: { query: { ...queryOf(narrowed), ...(after ? { after } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ items, next }) => (items.length < PAGE ? null : next),
  });
  const fresh = useFresh(narrowed);
  const known = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data]);
  return {
    items: useMemo(() => joined(fresh, known), [fresh, known]),
    isPending: found.isPending,
    error: found.error,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    loadMore: () => void found.fetchNextPage(),
    refetch: () => void found.refetch(),
  };
}

/** What the stream brought since. */
function useFresh({ instance, project, area }: Narrowed): CloudEvent[] {
  const [fresh, setFresh] = useState<CloudEvent[]>([]);
  useEffect(() => {
    setFresh([]);
    return stream.listen((event) => {
      if (isWanted(event, { instance, project, area })) setFresh((before) => [event, ...before]);
    });
  }, [instance, project, area]);
  return fresh;
}
