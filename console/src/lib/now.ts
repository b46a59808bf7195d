/** One clock for all that shows how long something has been going on. */
import { useSyncExternalStore } from "react";

const hearers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(hear: () => void): () => void {
  hearers.add(hear);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of hearers) each();
  }, 1_000);
  return () => {
    hearers.delete(hear);
    if (hearers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** What is said of this moment. Whoever says it is drawn anew only when it reads otherwise. */
export function useAsOfNow<T extends string | number | boolean>(say: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => say(now));
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
