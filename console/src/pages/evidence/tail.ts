/** The end of a stream of events: the newest first, each once, and no more than can be looked at. Pure. */
import type { Schemas } from "@/lib/api";

type CloudEvent = Schemas["CloudEvent"];

export const MOST = 300;

export function merged(before: readonly CloudEvent[], more: readonly CloudEvent[]): CloudEvent[] {
  if (more.length === 0) return before as CloudEvent[];
  const found = new Map([...before, ...more].map((event) => [event.id, event]));
  return [...found.values()].sort(newest).slice(0, MOST);
}

/** Sequences are numbers too long for numbers: the longer one is greater. */
function newest(a: CloudEvent, b: CloudEvent): number {
  return b.sequence.length - a.sequence.length || b.sequence.localeCompare(a.sequence);
}

/** What the event calls its subject, where it says so. */
export function nameIn(event: CloudEvent): string | null {
  for (const key of ["name", "slug", "email", "kind", "app_slug"]) {
    const value = event.data[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return event.appslug;
}
