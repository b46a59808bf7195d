/**
 * Asking again for what is on the screen, but not for what somebody here takes away.
 *
 * The stream may tell of a deletion before its answer comes, and a page is left only some time after that. Until
 * then its questions would be about something that is no more. Mutations say with `meta.removes` what they take
 * away: while they are under way and once they are done, it is only marked as old, for whoever comes back to it.
 */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Key } from "@/lib/api";

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: {
      /** The id of what is no more when it is done. */
      removes?: string;
    };
  }
}

type Asked = { queryKey: QueryKey };

/** Nothing that is on its way about it is waited for. */
export function letGo(queries: QueryClient, id: string): Promise<void> {
  return queries.cancelQueries({ predicate: isAbout([id]) });
}

/** It stays after all. */
export function keep(queries: QueryClient, id: string): Promise<void> {
  return queries.invalidateQueries({ predicate: isAbout([id]) });
}

/** Asks again what is on the screen, and comes back when the answers are there. */
export async function renew(
  queries: QueryClient,
  isWanted: (query: Asked) => boolean = () => true,
): Promise<void> {
  const isGoing = isAbout(goingIn(queries));
  const old = (query: Asked) => isWanted(query) && isGoing(query);
  const wanted = (query: Asked) => isWanted(query) && !isGoing(query);
  void queries.invalidateQueries({ predicate: old, refetchType: "none" });
  await queries.invalidateQueries({ predicate: wanted });
}

function goingIn(queries: QueryClient): string[] {
  const mutations = queries.getMutationCache().getAll();
  return mutations.flatMap(({ meta, state }) =>
    meta?.removes && state.status !== "error" ? [meta.removes] : [],
  );
}

function isAbout(ids: readonly string[]): (query: Asked) => boolean {
  return ({ queryKey }) => {
    const [, fills] = queryKey as Partial<Key>;
    return Object.values(fills ?? {}).some((fill) => ids.includes(fill));
  };
}
