import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import type { Component } from "@/lib/manifest";
import {
  type Around,
  drainWords,
  type Member,
  machinesFor,
  mayAdd,
  mayAsk,
  mayAskAll,
  sinceOf,
  stayingOf,
  whyOf,
  withChanged,
} from "@/lib/members";

const component = (more: Partial<Component>): Component => ({
  min: 0,
  max: null,
  verbs: [],
  may_share_host_with: [],
  description: null,
  ...more,
});
const components = {
  head: component({ min: 1, max: 1, verbs: ["replace"] }),
  part: component({ max: 3, verbs: ["add", "drain", "resume", "remove", "replace"] }),
};
const around: Around = {
  instance: { status: "running" },
  components,
  staying: { head: 1, part: 2 },
};
const member = (more: Partial<Member> = {}): Member =>
  ({ name: "part-1", component: "part", status: "ready", drain: null, ...more }) as Member;

test("a verb that the app does not offer for the component says so", () => {
  expect(mayAsk("drain", member(), around).allowed).toBe(true);
  expect(mayAsk("drain", member({ component: "head" }), around).why).toBe(
    "The app does not offer this for its head members.",
  );
});

test("a verb that the state does not allow names the state", () => {
  expect(mayAsk("resume", member(), around).why).toBe("part-1 is ready.");
});

test("a stopped instance only lets its members go", () => {
  const stopped: Around = { ...around, instance: { status: "stopped" } };
  expect(mayAsk("drain", member(), stopped).why).toContain("The instance is stopped");
  expect(mayAsk("remove", member(), stopped).allowed).toBe(true);
});

test("only the side that drained a member lets it work again", () => {
  const drained = member({ status: "drained", drain: { owner: "platform", reason: "no power" } });
  expect(mayAsk("resume", drained, around).why).toContain("the platform (no power)");
  const own = member({ status: "drained", drain: { owner: "user", reason: null } });
  expect(mayAsk("resume", own, around).allowed).toBe(true);
});

test("no more are removed than the app can spare", () => {
  const needed: Around = {
    ...around,
    components: { part: component({ min: 1, verbs: ["remove"] }) },
  };
  expect(mayAskAll("remove", [member()], needed).allowed).toBe(true);
  expect(mayAskAll("remove", [member(), member({ name: "part-2" })], needed).why).toContain(
    "The app needs 1 member of part",
  );
});

test("several are asked together only if each can be asked", () => {
  expect(mayAskAll("drain", [], around).allowed).toBe(false);
  const two = [member(), member({ name: "part-2", status: "removing" })];
  expect(mayAskAll("drain", two, around).why).toBe("part-2 is removing.");
  expect(mayAskAll("replace", [member(), member()], around).why).toContain("one by one");
});

test("a component that is full takes no more", () => {
  expect(mayAdd("part", components.part, 2).allowed).toBe(true);
  expect(mayAdd("part", components.part, 3).why).toContain("allows 3 members of part");
});

test("those who leave do not count among those who stay", () => {
  expect(stayingOf([member(), member({ status: "removing" })])).toEqual({ part: 1 });
});

test("a drain names its side and its reason", () => {
  expect(drainWords({ owner: "user", reason: "new disk" })).toBe("Drained by a person: new disk");
  const seen = { status_reason: null, health_reasons: ["No heartbeat."], drain: null };
  expect(whyOf(seen)).toBe("No heartbeat.");
});

const machine = (more: Partial<Schemas["AllocationRead"]> = {}) =>
  ({
    id: "alc_1",
    status: "active",
    dirty: [],
    instance_id: null,
    scheduler_type: null,
    ...more,
  }) as unknown as Schemas["AllocationRead"];
const here = { id: "ins_1", runtime_backend: "engine" };

test("a machine takes a member when nothing stands on it and it is meant for nothing else", () => {
  const rows = [
    machine(),
    machine({ scheduler_type: "other" }),
    machine({ instance_id: "ins_2" }),
    machine({ dirty: ["disk"] }),
  ];
  expect(machinesFor("part", rows, here, components, [])).toEqual([rows[0]]);
});

test("a machine of the instance takes one more where the app lets them stand together", () => {
  const row = machine({ instance_id: "ins_1" });
  const there = [{ component: "head", allocation_id: "alc_1" }];
  expect(machinesFor("part", [row], here, components, there)).toEqual([]);
  const sharing = { ...components, part: component({ may_share_host_with: ["head"] }) };
  expect(machinesFor("part", [row], here, sharing, there)).toEqual([row]);
});

const at = (id: string, version: number, more: Partial<Member> = {}) =>
  ({ id, version, removed_at: null, ...more }) as Member;

test("what has changed stands where it stood, what is new below, and what has gone nowhere", () => {
  const known = { items: [at("a", 1), at("b", 1), at("c", 1)], hasMore: false };
  const gone = at("c", 2, { removed_at: "2026-01-01T00:00:00Z" });
  const { items } = withChanged(known, [at("b", 2), gone, at("d", 1)]);
  expect(items.map(({ id, version }) => [id, version])).toEqual([
    ["a", 1],
    ["b", 2],
    ["d", 1],
  ]);
  expect(items[0]).toBe(known.items[0]);
});

test("where nothing has changed, what was known is the very same", () => {
  const known = { items: [at("a", 1)], hasMore: false };
  const longGone = at("z", 9, { removed_at: "2026-01-01T00:00:00Z" });
  expect(withChanged(known, [at("a", 1), longGone])).toBe(known);
});

test("changes are asked for from a while before the last one that is known", () => {
  const members = [at("a", 1, { updated_at: "2026-01-01T10:05:00.123456Z" })];
  expect(sinceOf(members)).toBe("2026-01-01T10:04:00.123Z");
  expect(sinceOf([])).toBe("1970-01-01T00:00:00.000Z");
});
