/**
 * The pages live on one stream of events: each makes old what it touches, and what is on the screen is asked
 * for again. Nothing is polled.
 *
 * A browser opens few connections to one place, so a tab that nobody sees gives its stream back and
 * takes up where it left when it is looked at again. What it missed is replayed; where that is no longer
 * kept, everything is asked for again.
 */
import type { QueryClient } from "@tanstack/react-query";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { useSyncExternalStore } from "react";
import type { Key, Schemas } from "@/lib/api";
import { renew } from "@/lib/renew";
import { type Moved, touchedBy, touches } from "@/lib/touching";

export type Liveness = "live" | "connecting" | "stale";

const GATHER_MS = 150;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** An answer that does not come holds up no other for longer. */
const PATIENCE_MS = 10_000;
const BEGINS = /here from (\d+)/;

type CloudEvent = Schemas["CloudEvent"];
type Test = (key: Key) => boolean;

function atMost(waiting: Promise<unknown> | undefined): Promise<unknown> {
  return Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

class Stream {
  private end: AbortController | null = null;
  private cursor: string | null = null;
  private watched: readonly string[] = [];
  private queries: QueryClient | null = null;
  private liveness: Liveness = "connecting";
  private pause = FIRST_PAUSE_MS;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private gathered: Test[] = [];
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private readonly hearers = new Set<() => void>();
  private readonly listeners = new Set<(event: CloudEvent) => void>();

  start(queries: QueryClient): () => void {
    this.queries = queries;
    const look = () => (document.visibilityState === "visible" ? this.open() : this.close());
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
      document.removeEventListener("visibilitychange", look);
      this.close();
      this.cursor = null;
      this.queries = null;
    };
  }

  /** Hear also what moves in these instances without being an event. */
  watch(instances: readonly string[]): void {
    if (instances.join() === this.watched.join()) return;
    this.watched = instances;
    if (this.end) this.open();
  }

  readonly subscribe = (hear: () => void): (() => void) => {
    this.hearers.add(hear);
    return () => this.hearers.delete(hear);
  };
  readonly current = (): Liveness => this.liveness;

  /** Each event as it comes, for who shows events themselves. */
  listen(listener: (event: CloudEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private open(): void {
    this.close();
    if (!this.queries) return;
    const end = new AbortController();
    this.end = end;
    this.read(end.signal)
      .catch(() => undefined)
      .then(() => end.signal.aborted || this.lose());
  }

  private async read(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ after: this.cursor ?? "latest" });
    for (const instance of this.watched) query.append("watch", instance);
    const given = await fetch(`/v1/events/stream?${query}`, { signal });
    // Refused: the cursor is no longer kept, or what was watched is gone. Begin anew.
    if (given.status >= 400 && given.status < 500) this.cursor = null;
    if (!given.ok || !given.body) return;
    this.pause = FIRST_PAUSE_MS;
    // What happened before the stream was open may be on the screen as it was.
    if (this.cursor === null) this.gather(() => true);
    this.become("live");
    const frames = given.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ onComment: (said) => this.begin(said) }));
    for await (const frame of frames as unknown as AsyncIterable<EventSourceMessage>) {
      if (frame.event === "end") return;
      this.take(frame);
    }
  }

  /** It says first where it begins: whoever opens it anew before anything happened goes on from there. */
  private begin(said: string): void {
    this.cursor ??= BEGINS.exec(said)?.[1] ?? null;
  }

  private take(frame: EventSourceMessage): void {
    if (frame.event === "moved") {
      const moved = JSON.parse(frame.data) as Moved;
      this.gather((key) => touchedBy(moved, key));
      return;
    }
    this.cursor = frame.id ?? this.cursor;
    const event = JSON.parse(frame.data) as CloudEvent;
    for (const listener of this.listeners) listener(event);
    this.gather((key) => touches(event, key));
  }

  private gather(test: Test): void {
    this.gathered.push(test);
    this.gathering ??= setTimeout(() => void this.refresh(), GATHER_MS);
  }

  /**
   * What is being asked for is waited for: a long list that is asked for anew each moment never comes. And what
   * took long to come is left alone for as long.
   */
  private async refresh(): Promise<void> {
    const tests = this.gathered;
    this.gathered = [];
    const began = performance.now();
    const predicate = (query: { queryKey: unknown }) =>
      tests.some((each) => each(query.queryKey as Key));
    const under = this.queries?.getQueryCache().findAll({ predicate, fetchStatus: "fetching" });
    await atMost(Promise.allSettled(under?.map(({ promise }) => promise) ?? []));
    await atMost(this.queries ? renew(this.queries, predicate) : undefined);
    const pause = Math.max(GATHER_MS, performance.now() - began);
    this.gathering =
      this.gathered.length > 0 ? setTimeout(() => void this.refresh(), pause) : undefined;
  }

  private lose(): void {
    this.close();
    this.become("stale");
    this.retry = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }

  private close(): void {
    clearTimeout(this.retry);
    this.end?.abort();
    this.end = null;
  }

  private become(liveness: Liveness): void {
    this.liveness = liveness;
    for (const hear of this.hearers) hear();
  }
}

export const stream = new Stream();

export function useLiveness(): Liveness {
  return useSyncExternalStore(stream.subscribe, stream.current);
}
