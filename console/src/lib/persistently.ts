/** Parts of the program that come later, and that nobody waits for. */

const PAUSE_MS = 2_000;

/** Fetch it, again and again where the platform cannot be reached just now: what is asked for is not in sight. */
export async function persistently<T>(fetching: () => Promise<T>, pause = PAUSE_MS): Promise<T> {
  for (;;) {
    try {
      return await fetching();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
