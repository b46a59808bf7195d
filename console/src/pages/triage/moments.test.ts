import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { since, told } from "@/pages/triage/moments";

type Moment = Schemas["MomentRead"];
const moment = (more: Partial<Moment>): Moment => ({
  at: "2026-03-01T12:00:00Z",
  kind: "event",
  id: "ins_1",
  text: "",
  status: null,
  details: {},
  ...more,
});

test("who asked and what for stands in words", () => {
  const [line] = told([
    moment({
      kind: "request",
      text: "Anna Berg did apps.instance.create",
      details: { actor: { name: "Anna Berg" } },
    }),
  ]);
  expect(line?.words).toBe("Anna Berg created an instance");
});

test("a task is one line, with its end and what it wrote last", () => {
  const task = { kind: "task", id: "tsk_1" } as const;
  const lines = told([
    moment({ ...task, text: "exec install/unpack on alc_1 was queued", status: "queued" }),
    moment({ ...task, text: "exec install/unpack on alc_1 began", status: "running" }),
    moment({
      ...task,
      at: "2026-03-01T12:00:09Z",
      text: "exec install/unpack on alc_1 failed, exit code 2",
      status: "failed",
      details: { exit_code: 2, log: ["no space left"], operation_id: "opn_1" },
    }),
  ]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    words: "Unpack",
    status: "failed",
    until: "2026-03-01T12:00:09Z",
    said: "It ended with exit code 2.",
    log: ["no space left"],
  });
});

test("a task without a name of its own says what kind it is", () => {
  const text = "exec run/8.1/1-exec-f630ae5ae108 on alc_1 began";
  expect(told([moment({ kind: "task", text })])[0]?.words).toBe("Command on a machine");
});

test("asking for tasks is no moment beside the tasks", () => {
  const details = { actor: { kind: "operation", name: "opn_1" } };
  expect(told([moment({ kind: "request", text: "opn_1 did apps.task.create", details })])).toEqual(
    [],
  );
});

test("a step says its name and leads to its operation", () => {
  const [line] = told([
    moment({
      kind: "step",
      id: "opn_7",
      text: "step 2, make_ready: succeeded",
      status: "succeeded",
    }),
  ]);
  expect(line).toMatchObject({ words: "Make ready (step 2)", operation: "opn_7" });
});

test("moments are told from the first one on", () => {
  const first = "2026-03-01T12:00:00Z";
  expect(since(first, "2026-03-01T12:00:03.200Z")).toBe("+3.2 s");
  expect(since(first, "2026-03-01T12:02:05Z")).toBe("+2:05 min");
  expect(since(first, "2026-03-01T13:02:05Z")).toBe("+1 h 2 min");
});
