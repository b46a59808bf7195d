/** How things are said to people. Pure: what is shown depends on what is given alone. */

const UNITS: readonly [seconds: number, short: string, long: Intl.RelativeTimeFormatUnit][] = [
  [86_400, "d", "day"],
  [3_600, "h", "hour"],
  [60, "min", "minute"],
  [1, "s", "second"],
];

/** "3 min 12 s": the two greatest units that say something. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const parts: string[] = [];
  let left = Math.round(seconds);
  for (const [size, short] of UNITS) {
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count} ${short}`);
    left -= count * size;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

export function between(from: string, until: string | null | undefined, now: number): string {
  return duration((Date.parse(until ?? "") || now) / 1000 - Date.parse(from) / 1000);
}

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "2 minutes ago", "in 3 hours", "just now". */
export function ago(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  if (Number.isNaN(seconds)) return "–";
  if (Math.abs(seconds) < 10) return "just now";
  for (const [size, , unit] of UNITS)
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.round(seconds / size), unit);
  return "just now";
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** The exact moment, in the reader's own time zone. */
export function moment(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? "–" : MOMENT.format(time);
}

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return "–";
  let left = count;
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (left < 1024)
      return `${left < 10 && unit !== "B" ? left.toFixed(1) : Math.round(left)} ${unit}`;
    left /= 1024;
  }
  return `${left.toFixed(1)} TiB`;
}

/** Money is kept in millionths. */
export function money(micros: number, currency: string): string {
  const amount = micros / 1_000_000;
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  return new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}

const KINDS: Record<string, string> = {
  "instance.deploy": "Deploy",
  "instance.configure": "Change configuration",
  "instance.upgrade": "Upgrade",
  "instance.rollback": "Roll back",
  "instance.stop": "Stop",
  "instance.start": "Start",
  "instance.restart": "Restart",
  "instance.repair": "Repair",
  "instance.decommission": "Decommission",
  "member.add": "Add member",
  "member.drain": "Drain member",
  "member.resume": "Resume member",
  "member.remove": "Remove member",
  "member.replace": "Replace member",
  "credential.rotate": "Rotate credentials",
  "node.session": "Session on a machine",
};

/** What an operation does, in words. */
export function kindWords(kind: string, action?: string | null): string {
  if (kind === "action" && action) return sentence(action.split(".").at(-1) ?? action);
  return KINDS[kind] ?? sentence(kind);
}

/** "release_failed" → "Release failed". */
export function sentence(word: string): string {
  const text = word.replace(/[_.-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words in the order of a list, with `part-2` before `part-10`. */
export const inOrder = new Intl.Collator("en", { numeric: true }).compare;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A machine as people choose it: what the project calls it, the host that it is, its class and place. */
export function machineWords(machine: {
  name: string;
  node_name: string;
  sku: string;
  region: string;
}): string {
  return `${machine.name} on ${machine.node_name} (${machine.sku}, ${machine.region})`;
}
