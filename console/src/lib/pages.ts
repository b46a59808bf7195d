/** Lists that come in pages: the rest is asked for when somebody wants to see it. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import {
  type Answer,
  answer,
  client,
  type Given,
  type Key,
  type PathOf,
  type QueryOf,
  type Readable,
} from "@/lib/api";

type Paged = {
  [P in Readable]: Answer<P> extends { items: unknown[]; next: string | null } ? P : never;
}[Readable];
type Item<P extends Paged> = Answer<P> extends { items: (infer T)[] } ? T : never;

export interface Pages<T> {
  items: T[];
  isPending: boolean;
  error: Error | null;
  /** There are more than those here. */
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  refetch: () => void;
}

export function usePages<P extends Paged>(
  path: P,
  fills: PathOf<P>,
  query?: QueryOf<P>,
  options: { enabled?: boolean } = {},
): Pages<Item<P>> {
  const found = useInfiniteQuery({
    queryKey: [path, fills as Record<string, string>, query ?? null] as Key,
    queryFn: ({ signal, pageParam }) =>
      answer(
        client.GET(
          path as never,
          {
            params: {
              path: fills,
              query: { ...(query as object), ...(pageParam ? { after: pageParam } : {}) },
            },
            signal,
          } as never,
        ) as Promise<Given<{ items: Item<P>[]; next: string | null }>>,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    enabled: options.enabled ?? true,
  });
  const items = useMemo(() => found.data?.pages.flatMap((page) => page.items) ?? [], [found.data]);
  return {
    items,
    isPending: found.isPending,
    error: found.error,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    loadMore: () => void found.fetchNextPage(),
    refetch: () => void found.refetch(),
  };
}

/** Asks for page after page until all are here, for what makes sense only as a whole. */
export function useAll<T>(pages: Pages<T>): Pages<T> {
  const { hasMore, isLoadingMore, loadMore, error } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is new each time
  useEffect(() => {
    if (hasMore && !isLoadingMore && !error) loadMore();
  }, [hasMore, isLoadingMore, error]);
  return pages;
}
