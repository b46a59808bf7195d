import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import type { Key } from "@/lib/api";
import { keep, letGo, renew } from "@/lib/renew";

const ACCOUNT: Key = ["/v1/service-accounts/{account}", { account: "sac_1" }, null];
const KEYS: Key = ["/v1/service-accounts/{account}/keys", { account: "sac_1" }, null];
const OTHER: Key = ["/v1/service-accounts/{account}", { account: "sac_2" }, null];
const ME: Key = ["/v1/me", {}, null];
const HISTORY = ["history", { instance: undefined }, null];

const queries = new QueryClient();
const asked: string[] = [];
afterEach(() => {
  queries.clear();
  asked.length = 0;
});

/** On the screen, with an answer. */
async function shown(...keys: readonly (Key | typeof HISTORY)[]): Promise<void> {
  for (const queryKey of keys) {
    const words = [queryKey[0], ...Object.values(queryKey[1] ?? {})].join(" ");
    const queryFn = async () => asked.push(words);
    await queries.fetchQuery({ queryKey, queryFn });
    const screen = new QueryObserver(queries, { queryKey, queryFn, staleTime: Infinity });
    screen.subscribe(() => undefined);
  }
  asked.length = 0;
}

/** Somebody asks for an end; this is what comes of it. */
function remove(id: string, answer: Promise<void>): Promise<void> {
  return queries
    .getMutationCache()
    .build(queries, { meta: { removes: id }, mutationFn: () => answer })
    .execute(undefined);
}

test("all that is on the screen is asked for again", async () => {
  await shown(ACCOUNT, ME, HISTORY);

  await renew(queries);

  expect(asked).toEqual(["/v1/service-accounts/{account} sac_1", "/v1/me", "history "]);
});

test("nothing is asked about what is being removed, only about the rest", async () => {
  await shown(ACCOUNT, KEYS, OTHER, ME);
  void remove("sac_1", new Promise(() => undefined));

  await renew(queries);

  expect(asked).toEqual(["/v1/service-accounts/{account} sac_2", "/v1/me"]);
});

test("nothing is asked about what is gone, and it is old for whoever comes back to it", async () => {
  await shown(ACCOUNT, KEYS, ME);
  await remove("sac_1", Promise.resolve());

  await renew(queries, ({ queryKey }) => queryKey[0] !== "/v1/me");

  expect(asked).toEqual([]);
  expect(queries.getQueryState(ACCOUNT)?.isInvalidated).toBe(true);
  expect(queries.getQueryState(ME)?.isInvalidated).toBe(false);
});

test("what was not removed after all is asked for again, and from then on", async () => {
  await shown(ACCOUNT);
  await expect(remove("sac_1", Promise.reject(new Error("refused")))).rejects.toThrow();

  await keep(queries, "sac_1");
  await renew(queries);

  expect(asked).toEqual(Array(2).fill("/v1/service-accounts/{account} sac_1"));
});

test("a question that is on its way is not waited for", async () => {
  const queryFn = ({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => asked.push("given up"));
    return new Promise(() => undefined);
  };
  new QueryObserver(queries, { queryKey: KEYS, queryFn }).subscribe(() => undefined);

  await letGo(queries, "sac_1");

  expect(asked).toEqual(["given up"]);
});
