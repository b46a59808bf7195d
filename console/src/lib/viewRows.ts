/**
 * All rows of a view, page by page, and again when the view moved.
 *
 * A large view is read by many requests and may move every second: it is read to its end before it is read
 * again, and not more often than every two seconds.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answer, client } from "@/lib/api";
import type { View, ViewRow } from "@/lib/views";

const PAGE = 1_000;
const LARGE = 1_000;
const PAUSE_MS = 2_000;

export interface ViewRows {
  rows: ViewRow[];
  /** When the app had looked at what these rows say. */
  observedAt: string | null;
  /** More rows are on their way. */
  partial: boolean;
  readAt: number;
}

export function useViewRows(instance: string, view: View) {
  const queries = useQueryClient();
  const queryKey = ["rows of a view", { instance, view: view.name }, null] as const;
  const found = useQuery<ViewRows>({
    queryKey,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const first = queries.getQueryData(queryKey) === undefined;
      return readAll(instance, view.name, signal, (some) => {
        if (first) queries.setQueryData(queryKey, some);
      });
    },
  });
  const { data, isFetching, refetch } = found;
  const moved = data !== undefined && !isFetching && data.observedAt !== view.observed_at;
  const pause =
    data && data.rows.length > LARGE ? Math.max(0, data.readAt + PAUSE_MS - Date.now()) : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new look at the view counts
  useEffect(() => {
    if (!moved) return;
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), pause);
    return () => clearTimeout(timer);
  }, [moved, view.observed_at, refetch]);
  return found;
}

async function readAll(
  instance: string,
  view: string,
  signal: AbortSignal,
  onSome: (some: ViewRows) => void,
): Promise<ViewRows> {
  const rows: ViewRow[] = [];
  let observedAt: string | null = null;
  let after: string | undefined;
  do {
    const page = await answer(
      client.GET("/v1/instances/{instance}/views/{view}", {
        params: { path: { instance, view }, query: { limit: PAGE, after } },
        signal,
      }),
    );
    // The oldest page says how old the whole is.
    observedAt ??= page.view.observed_at;
    rows.push(...page.items);
    after = page.next ?? undefined;
    if (after) onSome({ rows: [...rows], observedAt, partial: true, readAt: Date.now() });
  } while (after);
  return { rows, observedAt, partial: false, readAt: Date.now() };
}
