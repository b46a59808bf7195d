/* What a page says of itself to whoever measures it: `bench.begin()`, something is done, `bench.end()`. */
(() => {
  const seen = { interactions: new Map(), tasks: [], frames: [] };
  let rolling = false;
  performance.setResourceTimingBufferSize(10_000);

  new PerformanceObserver((list) => {
    for (const { interactionId: id, duration } of list.getEntries())
      if (id) seen.interactions.set(id, Math.max(duration, seen.interactions.get(id) ?? 0));
  }).observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration);
  }).observe({ type: "longtask" });

  const frame = () => new Promise(requestAnimationFrame);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function roll() {
    let last = await frame();
    while (rolling) {
      const now = await frame();
      seen.frames.push(now - last);
      last = now;
    }
  }

  globalThis.bench = {
    async begin() {
      await pause(200);
      seen.interactions.clear();
      seen.tasks = [];
      seen.frames = [];
      rolling = true;
      void roll();
    },
    async end() {
      // Interactions are told of after they were painted.
      for (let count = 0; count < 3; count++) await frame();
      rolling = false;
      const { tasks, frames } = seen;
      await pause(300);
      return { interactions: [...seen.interactions.values()], tasks, frames };
    },
    async rest() {
      const answered = () => performance.getEntriesByType("resource").length;
      for (let before = -1; before !== answered(); await pause(500)) before = answered();
    },
    rows: () => document.querySelectorAll("table.rows tbody tr:not([aria-hidden])").length,
    says: (where, words) => document.querySelector(where)?.textContent.includes(words) ?? false,
  };
})();
