/**
 * What an instance is made of, as points and lines: the instance, its components, their members, the machines.
 * Pure.
 *
 * A component with many members is drawn as a few groups, one for each state, so that a thousand members are
 * as quick to draw, and to take in, as ten. Places follow from what is drawn alone: a change of state moves
 * nothing, and a new member moves only what stands below it.
 */
import type { Schemas } from "@/lib/api";
import { inOrder, plural, sentence } from "@/lib/format";
import { type Member, whyOf } from "@/lib/members";
import { type Tone, tone } from "@/lib/status";

type Instance = Pick<Schemas["InstanceRead"], "name" | "status" | "health" | "components"> & {
  app: string;
};
type Part = Pick<
  Member,
  | "id"
  | "name"
  | "component"
  | "status"
  | "health"
  | "status_reason"
  | "health_reasons"
  | "drain"
  | "allocation_id"
  | "node_name"
  | "host_address"
>;

export interface Point {
  id: string;
  kind: "instance" | "component" | "member" | "group" | "host";
  title: string;
  line: string;
  /** Its state, or null where it has none. */
  word: string | null;
  why: string | null;
  /** What the list of members is narrowed to when it is followed. */
  leads: { member?: string; q?: string };
}

export interface Topology {
  points: Point[];
  lines: [from: string, to: string][];
}

const MOST_ROWS = 24;
const MOST_OF_ONE = 8;
const WORST: readonly Tone[] = ["bad", "warn", "busy", "quiet", "good"];
const ROOT = "instance";

/** How a member is, in one word: its state while something is done to it, else its health. */
export function memberWord(member: Pick<Member, "status" | "health">): string {
  if (member.status !== "ready" || member.health === "unknown") return member.status;
  return member.health === "healthy" ? "ready" : member.health;
}

/** How an instance is, in one word. */
export function instanceWord(instance: Pick<Instance, "status" | "health">): string {
  if (instance.status !== "running") return instance.status;
  return ["degraded", "unhealthy"].includes(instance.health) ? instance.health : "running";
}

export function topologyOf(instance: Instance, members: readonly Part[]): Topology {
  const there = members.filter(({ status }) => status !== "removed");
  const found: Topology = {
    points: [
      {
        id: ROOT,
        kind: "instance",
        title: instance.name,
        line: instance.app,
        word: instanceWord(instance),
        why: null,
        leads: {},
      },
    ],
    lines: [],
  };
  const many = there.length > MOST_ROWS;
  for (const component of instance.components) {
    const parts = there.filter((member) => member.component === component.key).sort(byName);
    const id = `component:${component.key}`;
    found.points.push({
      id,
      kind: "component",
      title: sentence(component.key),
      line: `${component.ready} of ${component.desired} ready`,
      word: componentWord(component, parts),
      why: component.summary,
      leads: { q: component.key },
    });
    found.lines.push([ROOT, id]);
    if (many && parts.length > MOST_OF_ONE) addGroups(found, id, component.key, parts);
    else for (const part of parts) addMember(found, id, part);
  }
  return found;
}

function byName(a: Part, b: Part): number {
  return inOrder(a.name, b.name);
}

/** What the app says of it; else that of its member who fares worst. */
export function componentWord(
  component: Instance["components"][number],
  parts: readonly Pick<Part, "status" | "health">[],
): string {
  if (component.health !== "unknown") return component.health;
  const words = parts.map(memberWord);
  for (const each of WORST) {
    const word = words.find((one) => tone(one) === each);
    if (word) return word;
  }
  return component.health;
}

function addMember(found: Topology, from: string, part: Part): void {
  found.points.push({
    id: part.id,
    kind: "member",
    title: part.name,
    line: sentence(part.component),
    word: memberWord(part),
    why: whyOf(part),
    leads: { member: part.id },
  });
  found.lines.push([from, part.id]);
  if (!part.allocation_id || !part.node_name) return;
  const host = `host:${part.allocation_id}`;
  if (!found.points.some(({ id }) => id === host))
    found.points.push({
      id: host,
      kind: "host",
      title: part.node_name,
      line: part.host_address ?? "",
      word: null,
      why: null,
      leads: { q: part.node_name },
    });
  found.lines.push([part.id, host]);
}

function addGroups(found: Topology, from: string, key: string, parts: readonly Part[]): void {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const word = memberWord(part);
    const group = groups.get(word);
    if (group) group.push(part);
    else groups.set(word, [part]);
  }
  const sorted = [...groups].sort(
    ([a], [b]) => WORST.indexOf(tone(a)) - WORST.indexOf(tone(b)) || a.localeCompare(b),
  );
  for (const [word, group] of sorted) {
    const id = `group:${key}:${word}`;
    const machines = new Set(group.map((part) => part.allocation_id).filter(Boolean)).size;
    found.points.push({
      id,
      kind: "group",
      title: plural(group.length, "member"),
      line: machines > 0 ? `on ${plural(machines, "machine")}` : "on no machine yet",
      word,
      why: null,
      leads: { q: `${key} ${word}` },
    });
    found.lines.push([from, id]);
  }
}

export interface Place {
  x: number;
  y: number;
}

export const POINT = { width: 196, height: 58, across: 58, down: 14 };
const COLUMN: Record<Point["kind"], number> = {
  instance: 0,
  component: 1,
  member: 2,
  group: 2,
  host: 3,
};

/** Where each point stands: columns from left to right, each in the middle of what it leads to. */
export function placesOf({ points, lines }: Topology): Map<string, Place> {
  const places = new Map<string, Place>();
  const pitch = POINT.height + POINT.down;
  let row = 0;
  const put = (point: Point, y: number) =>
    places.set(point.id, { x: COLUMN[point.kind] * (POINT.width + POINT.across), y });
  for (const component of points.filter(({ kind }) => kind === "component")) {
    const parts = lines.filter(([from]) => from === component.id).map(([, to]) => to);
    const first = row;
    for (const part of points.filter(({ id }) => parts.includes(id))) put(part, row++ * pitch);
    row = Math.max(row, first + 1);
    put(component, ((first + row - 1) / 2) * pitch);
  }
  const sources = (id: string) =>
    lines.filter(([, to]) => to === id).flatMap(([from]) => places.get(from)?.y ?? []);
  let below = 0;
  for (const host of points
    .filter(({ kind }) => kind === "host")
    .map((point) => ({ point, y: middle(sources(point.id)) }))
    .sort((a, b) => a.y - b.y)) {
    const y = Math.max(host.y, below);
    put(host.point, y);
    below = y + pitch;
  }
  const components = points.filter(({ kind }) => kind === "component");
  const root = points.find(({ kind }) => kind === "instance");
  if (root) put(root, middle(components.map(({ id }) => places.get(id)?.y ?? 0)));
  return places;
}

function middle(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : (Math.min(...numbers) + Math.max(...numbers)) / 2;
}
