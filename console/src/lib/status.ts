/** Which words are good news. Colour never says it alone: the word stands beside it. */

export type Tone = "good" | "busy" | "warn" | "bad" | "quiet";

const TONES: Record<Exclude<Tone, "quiet">, string> = {
  good: "running ready healthy succeeded active available verified published allowed enabled live delivered",
  busy: "requested deploying starting restarting configuring upgrading rolling_back rotating joining provisioning ready_to_run progressing enrolling cleaning sent queued undoing stopping deleting removing replacing releasing waiting pending promoted",
  warn: "degraded draining drained maintenance blocked deprecated stopped unreachable cordoned unverified timed_out dirty",
  bad: "failed unhealthy delete_failed release_failed quarantined revoked denied abandoned undo_failed",
};

export const COLOURS: Record<Tone, string> = {
  good: "teal",
  busy: "harbour",
  warn: "yellow",
  bad: "red",
  quiet: "gray",
};

const BY_WORD = new Map<string, Tone>(
  Object.entries(TONES).flatMap(([tone, words]) =>
    words.split(" ").map((word) => [word, tone as Tone] as const),
  ),
);

export function tone(word: string): Tone {
  return BY_WORD.get(word) ?? "quiet";
}

/** Nothing more will happen to an operation by itself. */
export function isOver(status: string): boolean {
  return ["succeeded", "failed", "cancelled", "abandoned"].includes(status);
}
