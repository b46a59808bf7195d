/** What is chosen on a page stands in its address: filters, sorting, what is open. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = Record<string, string | undefined>;

export function useSearchParam(
  name: string,
  fallback = "",
): [value: string, set: (value: string) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (value: string) => {
      const search = (before: Search) => ({
        ...before,
        [name]: value === fallback ? undefined : value,
      });
      void navigate({ to: ".", search: search as never, replace: true });
    },
    [navigate, name, fallback],
  );
  return [search[name] ?? fallback, set];
}

/** Sets several at once; what is undefined is taken away. */
export function useSetSearch(): (some: Search) => void {
  const navigate = useNavigate();
  return useCallback(
    (some: Search) => {
      const search = (before: Search) => ({ ...before, ...some });
      void navigate({ to: ".", search: search as never, replace: true });
    },
    [navigate],
  );
}
