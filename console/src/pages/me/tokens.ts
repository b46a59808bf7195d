/** Tokens: how long they may live, what a browser calls itself. Pure. */

export const LIFETIMES = [
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
  { value: "2592000", label: "30 days" },
  { value: "7776000", label: "90 days" },
];

export function isOver(
  token: { revoked_at?: string | null; expires_at: string | null },
  now: number,
): boolean {
  return Boolean(token.revoked_at) || Date.parse(token.expires_at ?? "") <= now;
}

const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/(Chrome|Chromium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** "Firefox on Linux": what a session's user agent means; as it is where it means nothing to us. */
export function agentWords(agent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(agent))?.[1];
  const system = SYSTEMS.find(([mark]) => mark.test(agent))?.[1];
  if (!browser) return agent.trim() === "" ? "Something that gave no name" : agent;
  return system ? `${browser} on ${system}` : browser;
}
