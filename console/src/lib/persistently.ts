/** Parts of the program that come later, and that nobody waits for. */

const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Fetch it, again and again where the platform cannot be reached just now, and ever more seldom: what is asked for
 * is not in sight, and may be gone for good where another release serves the page by now.
 */
export async function persistently<T>(fetching: () => Promise<T>, first = PAUSE_MS): Promise<T> {
  for (let pause = first; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await fetching();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
