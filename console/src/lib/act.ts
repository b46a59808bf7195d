/** Changes: one way to ask for them, one way to say what became of them. */
import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { answer, type Given, type Refusal } from "@/lib/api";
import { keep, letGo, renew } from "@/lib/renew";
import { say, sayRefusal } from "@/lib/toasts";

type Headers = { "idempotency-key": string };
type Asking<A, T> = (given: A, headers: Headers) => Promise<Given<T>>;

interface Said<A, T> {
  /** A few words once it is done, or none. */
  done?: string | ((given: A, got: T) => string);
  /** Where it leads elsewhere, what is left is not asked for again before one is there. */
  onDone?: (got: T, given: A) => void | Promise<void>;
  /** The id of what is no more then: nothing is asked about it from the moment in which somebody wants it so. */
  removes?: string;
  /** The form shows the refusal itself, beside the field that it is about. */
  quiet?: boolean;
}

/**
 * `const cancel = useAct((operation: string, headers) => client.POST("/v1/operations/{operation}/cancel", {
 *   params: { path: { operation } }, body: { reason }, headers }), { done: "Cancelling" })`.
 *
 * The idempotency key belongs to what was asked, not to the try: asking the same again after a lost answer
 * is answered with what the first try did.
 */
export function useAct<A, T>(
  asking: Asking<A, T>,
  said: Said<A, T> = {},
): UseMutationResult<T, Refusal, A> {
  const queries = useQueryClient();
  const last = useRef<{ given: string; key: string } | null>(null);
  const { removes } = said;
  return useMutation<T, Refusal, A>({
    meta: { removes },
    onMutate: () => (removes ? letGo(queries, removes) : undefined),
    mutationFn: async (given) => {
      const text = JSON.stringify(given ?? null);
      if (last.current?.given !== text) last.current = { given: text, key: crypto.randomUUID() };
      const got = await answer(asking(given, { "idempotency-key": last.current.key }));
      last.current = null;
      return got;
    },
    onSuccess: async (got, given) => {
      const words = typeof said.done === "function" ? said.done(given, got) : said.done;
      if (words) say(words);
      await said.onDone?.(got, given);
      // Events tell other pages; whoever asked should not have to wait for them.
      void renew(queries);
    },
    onError: (refusal) => {
      if (!said.quiet) sayRefusal(refusal);
      if (removes) void keep(queries, removes);
      // A refusal is an answer: asking again is a new question. Only silence keeps the key.
      if (refusal.status !== 0) last.current = null;
    },
  });
}
