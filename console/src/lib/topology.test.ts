import { expect, test } from "vitest";
import type { Member } from "@/lib/members";
import { instanceWord, memberWord, placesOf, topologyOf } from "@/lib/topology";

const instance = {
  name: "blue",
  app: "Store",
  status: "running",
  health: "healthy",
  components: [
    { key: "head", desired: 1, current: 1, ready: 1, health: "unknown", summary: null },
    { key: "part", desired: 2, current: 2, ready: 2, health: "unknown", summary: null },
  ],
} as const;

function part(number: number, more: Partial<Member> = {}): Member {
  return {
    id: `mem_${number}`,
    name: `part-${number}`,
    component: "part",
    status: "ready",
    health: "healthy",
    status_reason: null,
    health_reasons: [],
    drain: null,
    allocation_id: `alc_${number}`,
    node_name: `host-${number}`,
    host_address: null,
    ...more,
  } as Member;
}
const head = part(0, { name: "head-1", component: "head" });
const drawn = (members: Member[]) =>
  topologyOf({ ...instance, components: [...instance.components] }, members);

test("an instance leads to its components, these to their members, these to their machines", () => {
  expect(drawn([head, part(1)]).lines).toEqual([
    ["instance", "component:head"],
    ["component:head", "mem_0"],
    ["mem_0", "host:alc_0"],
    ["instance", "component:part"],
    ["component:part", "mem_1"],
    ["mem_1", "host:alc_1"],
  ]);
});

test("two members on one machine share it", () => {
  const both = drawn([head, part(1, { allocation_id: "alc_0", node_name: "host-0" })]);
  expect(both.points.filter(({ kind }) => kind === "host")).toHaveLength(1);
});

test("many members of a component become a few groups, the worst first", () => {
  const members = Array.from({ length: 1000 }, (_, number) =>
    part(number, number < 3 ? { status: "failed" } : {}),
  );
  const groups = drawn(members).points.filter(({ kind }) => kind === "group");
  expect(groups.map(({ title, word }) => [title, word])).toEqual([
    ["3 members", "failed"],
    ["997 members", "ready"],
  ]);
});

test("a component of which the app says nothing is as its worst member", () => {
  const { points } = drawn([head, part(1), part(2, { health: "unhealthy" })]);
  expect(points.find(({ id }) => id === "component:part")?.word).toBe("unhealthy");
});

test("a change of state moves nothing", () => {
  const before = placesOf(drawn([head, part(1), part(2)]));
  const after = placesOf(drawn([head, part(1, { status: "draining" }), part(2)]));
  expect(after).toEqual(before);
});

test("a new member moves nothing that stands above it", () => {
  const before = placesOf(drawn([head, part(1)]));
  const after = placesOf(drawn([head, part(1), part(2)]));
  expect(after.get("mem_1")).toEqual(before.get("mem_1"));
  expect(after.get("mem_2")?.y).toBeGreaterThan(after.get("mem_1")?.y ?? 0);
});

test("no two points stand on each other", () => {
  const shared = part(2, { allocation_id: "alc_0", node_name: "host-0" });
  const places = [...placesOf(drawn([head, part(1), shared])).values()];
  expect(new Set(places.map(({ x, y }) => `${x}/${y}`)).size).toBe(places.length);
});

test("a state says more than health while something is done, and health more than a state after", () => {
  expect(memberWord({ status: "draining", health: "unhealthy" })).toBe("draining");
  expect(memberWord({ status: "ready", health: "degraded" })).toBe("degraded");
  expect(memberWord({ status: "ready", health: "unknown" })).toBe("ready");
  expect(instanceWord({ status: "running", health: "unhealthy" })).toBe("unhealthy");
});
