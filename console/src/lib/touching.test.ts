import { expect, test } from "vitest";
import type { Key, Schemas } from "@/lib/api";
import { touchedBy, touches } from "@/lib/touching";

function event(type: string, more: Partial<Schemas["CloudEvent"]> = {}): Schemas["CloudEvent"] {
  return { type, appinstanceid: "inst_1", projectid: "prj_1", ...more } as Schemas["CloudEvent"];
}
const key = (path: string, fills: Record<string, string> = {}): Key => [path, fills, null];

test("an operation's event makes old what shows the operation and its instance", () => {
  const seen = event("apps.operation.running");
  expect(touches(seen, key("/v1/operations/{operation}/steps", { operation: "op_1" }))).toBe(true);
  expect(touches(seen, key("/v1/instances/{instance}", { instance: "inst_1" }))).toBe(true);
  expect(touches(seen, key("/v1/instances/{instance}", { instance: "inst_2" }))).toBe(false);
  expect(touches(seen, key("/v1/nodes"))).toBe(false);
});

test("a project's lists follow the events of that project alone", () => {
  const seen = event("infra.allocation.active");
  expect(touches(seen, key("/v1/projects/{project}/allocations", { project: "prj_1" }))).toBe(true);
  expect(touches(seen, key("/v1/projects/{project}/allocations", { project: "prj_2" }))).toBe(
    false,
  );
});

test("the record follows every event", () => {
  expect(touches(event("policy.overlay.written"), key("/v1/audit"))).toBe(true);
});

test("an event of a kind that nobody knows touches nothing", () => {
  expect(
    touches(event("weather.rain"), key("/v1/instances/{instance}", { instance: "inst_1" })),
  ).toBe(false);
});

test("rows that moved make old the view they stand in, and no other", () => {
  const moved = { instance: "inst_1", what: "views", name: "queue" } as const;
  const view = (name: string) =>
    key("/v1/instances/{instance}/views/{view}", { instance: "inst_1", view: name });
  expect(touchedBy(moved, view("queue"))).toBe(true);
  expect(touchedBy(moved, view("hosts"))).toBe(false);
  expect(touchedBy({ ...moved, name: null }, view("hosts"))).toBe(true);
});

test("steps that moved make old the operations that are shown", () => {
  const moved = { instance: "inst_1", what: "operations", name: null } as const;
  expect(touchedBy(moved, key("/v1/operations/{operation}/steps", { operation: "op_9" }))).toBe(
    true,
  );
  expect(touchedBy(moved, key("/v1/operations"))).toBe(true);
  expect(touchedBy(moved, key("/v1/tasks/{task}/output", { task: "tsk_1" }))).toBe(true);
  expect(touchedBy(moved, key("/v1/instances/{instance}/members", { instance: "inst_1" }))).toBe(
    false,
  );
});
