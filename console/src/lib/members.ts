/**
 * What can be asked of a member now, and if not, why. Pure.
 *
 * The platform has the last word; these are its own rules, told before somebody asks.
 */
import type { Schemas } from "@/lib/api";
import { all, type May, no, YES } from "@/lib/can";
import { plural, sentence } from "@/lib/format";
import { type Component, mayShare } from "@/lib/manifest";

export type Member = Schemas["MemberRead"];
export type Instance = Schemas["InstanceRead"];
export type MemberVerb = "drain" | "resume" | "remove" | "replace";

export const VERBS: readonly MemberVerb[] = ["drain", "resume", "remove", "replace"];

/** The members that have been read. */
export interface Known {
  items: Member[];
  /** They are still being read. */
  hasMore: boolean;
}

const OVERLAP_MS = 60_000;

/** From when on changes are asked for: what began before the last of them may have been written after it. */
export function sinceOf(items: readonly Pick<Member, "updated_at">[]): string {
  const latest = Math.max(0, ...items.map(({ updated_at }) => Date.parse(updated_at)));
  return new Date(Math.max(0, latest - OVERLAP_MS)).toISOString();
}

/** The same with what has changed; the very same where nothing has. */
export function withChanged(known: Known, changed: readonly Member[]): Known {
  const found = new Map(known.items.map((each) => [each.id, each]));
  const news = changed.filter(({ id, version, removed_at }) =>
    removed_at === null ? found.get(id)?.version !== version : found.has(id),
  );
  if (news.length === 0) return known;
  for (const each of news) {
    if (each.removed_at === null) found.set(each.id, each);
    else found.delete(each.id);
  }
  return { ...known, items: [...found.values()] };
}

const STATES: Record<MemberVerb, readonly Member["status"][]> = {
  drain: ["joining", "ready", "failed"],
  resume: ["draining", "drained", "failed"],
  remove: ["requested", "joining", "ready", "draining", "drained", "failed"],
  replace: ["ready", "draining", "drained", "failed"],
};

const AT_WORK: readonly Instance["status"][] = [
  "running",
  "starting",
  "configuring",
  "upgrading",
  "rolling_back",
  "restarting",
  "rotating",
  "failed",
];
const RESTING: readonly Instance["status"][] = ["stopping", "stopped"];

const OWNERS = { user: "a person", platform: "the platform", app: "the app" };

/** Whether members of the instance can be asked for anything, it being as it is. */
export function ofInstance(verb: MemberVerb | "add", instance: Pick<Instance, "status">): May {
  if (AT_WORK.includes(instance.status)) return YES;
  if (verb === "remove" && RESTING.includes(instance.status)) return YES;
  return no(`The instance is ${words(instance.status)}: its members cannot be asked for this now.`);
}

/** Whether the app offers this for a component. */
export function ofComponent(
  verb: MemberVerb | "add",
  key: string,
  component: Component | undefined,
): May {
  if (!component || component.verbs.includes(verb)) return YES;
  return no(`The app does not offer this for its ${key} members.`);
}

export interface Around {
  instance: Pick<Instance, "status">;
  components: Record<string, Component>;
  /** Members that are not about to go, by component. */
  staying: Record<string, number>;
}

/** Whether one member can be asked for something, permissions aside. */
export function mayAsk(
  verb: MemberVerb,
  member: Pick<Member, "status" | "component" | "drain" | "name">,
  around: Around,
): May {
  const component = around.components[member.component];
  return all(
    ofComponent(verb, member.component, component),
    ofInstance(verb, around.instance),
    STATES[verb].includes(member.status) ? YES : no(`${member.name} is ${words(member.status)}.`),
    verb === "resume" ? notOthers(member) : YES,
    verb === "remove" ? enoughLeft(member.component, component, around, 1) : YES,
  );
}

/** The same for several at once: what stands against one stands against all. */
export function mayAskAll(verb: MemberVerb, members: readonly Member[], around: Around): May {
  if (members.length === 0) return no("Choose members first.");
  if (verb === "replace" && members.length > 1) return no("Members are replaced one by one.");
  const each = members.map((member) => mayAsk(verb, member, around));
  const leaving = Object.entries(countBy(members)).map(([key, count]) =>
    verb === "remove" ? enoughLeft(key, around.components[key], around, count) : YES,
  );
  return all(...each, ...leaving);
}

/** Whether a component has room for one more. */
export function mayAdd(key: string, component: Component | undefined, live: number): May {
  return all(
    ofComponent("add", key, component),
    component?.max !== null && component !== undefined && live >= component.max
      ? no(`The app allows ${plural(component.max, "member")} of ${key}, and there are as many.`)
      : YES,
  );
}

function notOthers({ drain, name }: Pick<Member, "drain" | "name">): May {
  if (!drain || drain.owner === "user") return YES;
  return no(
    `${name} was drained by ${OWNERS[drain.owner]}${drain.reason ? ` (${drain.reason})` : ""}, and only that side lets it work again.`,
  );
}

function enoughLeft(
  key: string,
  component: Component | undefined,
  around: Around,
  leaving: number,
): May {
  const left = (around.staying[key] ?? 0) - leaving;
  if (!component || left >= component.min) return YES;
  return no(
    `The app needs ${plural(component.min, "member")} of ${key}. Replace it, or decommission the instance.`,
  );
}

/** Members that stay, by component: for `Around`. */
export function stayingOf(members: readonly Pick<Member, "component" | "status">[]) {
  return countBy(members.filter(({ status }) => status !== "removing" && status !== "removed"));
}

export function countBy(members: readonly Pick<Member, "component">[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { component } of members) counts[component] = (counts[component] ?? 0) + 1;
  return counts;
}

export function drainWords(drain: NonNullable<Member["drain"]>): string {
  return `Drained by ${OWNERS[drain.owner]}${drain.reason ? `: ${drain.reason}` : ""}`;
}

function words(status: string): string {
  return sentence(status).toLowerCase();
}

/** Why it is not well, or what state it is in, in one line. */
export function whyOf(member: Pick<Member, "status_reason" | "health_reasons" | "drain">) {
  if (member.status_reason) return member.status_reason;
  if (member.health_reasons.length > 0) return member.health_reasons.join(" ");
  return member.drain ? drainWords(member.drain) : null;
}

/**
 * Machines on which a member of a component can be put: held, ready, clean, and with room beside who is
 * there. Those on which nothing stands come first.
 */
export function machinesFor(
  component: string,
  rows: readonly Schemas["AllocationRead"][],
  instance: Pick<Instance, "id" | "runtime_backend">,
  components: Record<string, Component>,
  members: readonly Pick<Member, "component" | "allocation_id">[],
): Schemas["AllocationRead"][] {
  const beside = (id: string) => members.filter(({ allocation_id }) => allocation_id === id);
  const fit = rows.filter((row) => {
    const fits = row.scheduler_type === null || row.scheduler_type === instance.runtime_backend;
    if (row.status !== "active" || row.dirty.length > 0 || !fits) return false;
    if (row.instance_id === null) return true;
    return (
      row.instance_id === instance.id &&
      beside(row.id).every((other) => mayShare(components, component, other.component))
    );
  });
  return fit.sort((a, b) => Number(a.instance_id !== null) - Number(b.instance_id !== null));
}
