/** The one door to the platform: typed by the contract, with what every request needs. */
import { queryOptions } from "@tanstack/react-query";
import createClient, { type Middleware } from "openapi-fetch";
import type { PathsWithMethod } from "openapi-typescript-helpers";
import type { components, paths } from "@/api/schema";

export type Schemas = components["schemas"];
type ProblemBody = Schemas["Problem"];

/** What the platform said when it refused, or that it could not be asked. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly correlation: string | null;
  readonly faults: readonly { location: string; message: string }[];

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? "The platform gave no reason.");
    this.status = status;
    this.code = body.code ?? "unknown";
    this.title = body.title ?? "Refused";
    this.correlation = body.correlation_id ?? null;
    this.faults = body.errors ?? [];
  }

  /** Whether its triage tells more: not where there was nothing to see, or only too much at once. */
  get isKept(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 404, 429].includes(this.status);
  }

  get isAbsent(): boolean {
    return this.status === 404;
  }
}

let csrf: string | null = null;

/** Changes made with the session's cookie carry this; `GET /v1/me` gives it. */
export function keepCsrf(token: string | null): void {
  csrf = token;
}

const guard: Middleware = {
  onRequest({ request }) {
    if (request.method === "GET") return;
    if (csrf) request.headers.set("x-csrf-token", csrf);
    if (!request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", crypto.randomUUID());
  },
};

export const client = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? "http://localhost",
  credentials: "same-origin",
});
client.use(guard);

/** What the client gives for any route. */
export interface Given<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer's body; a `Refusal` is thrown in place of any answer that is none. */
export async function answer<T>(asked: Promise<Given<T>>): Promise<T> {
  let given: Given<T>;
  try {
    given = await asked;
  } catch (err) {
    if (err instanceof DOMException && err.name === "AbortError") throw err;
    throw new Refusal(0, {
      title: "No answer",
      code: "unreachable",
      detail: "The platform did not answer. Check that you are online and try again.",
    });
  }
  if (given.response.ok) return given.data as T;
  throw new Refusal(given.response.status, (given.error ?? {}) as Partial<ProblemBody>);
}

type Readable = PathsWithMethod<paths, "get">;
type Asked<P extends Readable> = paths[P] extends { get: { parameters: infer A } } ? A : never;
type Told<P extends Readable> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer B } } } };
}
  ? B
  : never;
type PathOf<P extends Readable> = Asked<P> extends { path: infer A } ? A : Record<string, never>;
type QueryOf<P extends Readable> = Asked<P> extends { query?: infer A } ? A : never;

/** What a question is kept under: its path in the contract, what fills it, and its filters. */
export type Key = readonly [path: string, fills: Record<string, string>, query: unknown];

/** A question to the platform, for `useQuery`: `useQuery(ask("/v1/instances/{instance}", { instance }))`. */
export function ask<P extends Readable>(path: P, fills: PathOf<P>, query?: QueryOf<P>) {
  return queryOptions({
    queryKey: [path, fills as Record<string, string>, query ?? null] as Key,
    queryFn: ({ signal }): Promise<Told<P>> =>
      // The client's own types follow one literal path; this is generic over all of them.
      answer(
        client.GET(path as never, { params: { path: fills, query }, signal } as never) as Promise<
          Given<Told<P>>
        >,
      ),
  });
}
export type Answer<P extends Readable> = Told<P>;
export type { PathOf, QueryOf, Readable };
