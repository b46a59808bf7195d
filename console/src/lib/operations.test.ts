import { expect, test } from "vitest";
import {
  atWords,
  type Operation,
  openOnes,
  phasesOf,
  pointOfNoReturn,
  progressOf,
  recoveryOf,
  type Step,
  standsStill,
  stateOf,
  verbWords,
} from "@/lib/operations";
import { tone } from "@/lib/status";

const step = (phase: Step["phase"], number: number, more: Partial<Step> = {}): Step => ({
  phase,
  number,
  name: `${phase} ${number}`,
  status: "succeeded",
  attempt: 1,
  message: null,
  result: null,
  no_return: false,
  started_at: "2026-03-01T12:00:00Z",
  finished_at: "2026-03-01T12:00:01Z",
  ...more,
});

const standing = {
  status: "running",
  direction: "forward",
  children: null,
  cancel_requested_at: null,
} as const;

test("members that are done say how far an operation is, and those that failed are named", () => {
  const children = { total: 4, ended: 3, succeeded: 2, failed: 1 };
  expect(progressOf({ children, progress: { done: 9, total: 10 } })).toEqual({
    done: 3,
    total: 4,
    words: "3 of 4 members done, 1 failed",
  });
});

test("an operation that counts nothing has no progress", () => {
  expect(progressOf({ children: null, progress: null })).toBe(null);
  expect(progressOf({ children: null, progress: { done: 0, total: 0 } })).toBe(null);
});

test("the operation's own words come before what its state means", () => {
  expect(atWords({ status: "pending", message: null, phase: null })).toContain("asked before");
  expect(atWords({ status: "pending", message: "Copying", phase: null })).toBe("Copying");
  expect(atWords({ status: "waiting", message: null, phase: "children" })).toContain("members");
});

test("a failure that is being tried again asks for nothing", () => {
  const found = recoveryOf({ recovery: "retryable", status: "waiting", attempt: 2 });
  expect(found?.title).toBe("It is tried again by itself");
});

test("a class of recovery is said once it has come to an end or to a stand", () => {
  expect(recoveryOf({ recovery: "operator", status: "blocked", attempt: 1 })?.title).toBe(
    "A person has to decide",
  );
  expect(recoveryOf({ recovery: "terminal", status: "running", attempt: 1 })).toBe(null);
  expect(recoveryOf({ recovery: null, status: "failed", attempt: 1 })).toBe(null);
});

test("work that runs is not yet good news", () => {
  expect(tone(stateOf("running").word)).toBe("busy");
  expect(tone(stateOf("ready").word)).toBe("busy");
  expect(stateOf("blocked")).toEqual({ word: "blocked", label: undefined });
});

test("cancelling says what becomes of what was done", () => {
  expect(verbWords("cancel", { ...standing, status: "pending" }).does).toContain("not begun");
  expect(verbWords("cancel", standing).does).toContain("taken back");
  const children = { total: 3, ended: 1, succeeded: 1, failed: 0 };
  expect(verbWords("cancel", { ...standing, children }).does).toContain("stay as they are");
});

test("letting it go on follows the direction that it has", () => {
  expect(verbWords("resume", standing).does).toContain("where it stopped");
  expect(verbWords("resume", { ...standing, direction: "undo" }).does).toContain("taking back");
});

test("steps stand in the order in which they are taken", () => {
  const phases = phasesOf([step("finish", 1), step("prepare", 2), step("prepare", 1)]);
  expect(phases.map(({ steps }) => steps.map(({ name }) => name))).toEqual([
    ["prepare 1", "prepare 2"],
    ["finish 1"],
  ]);
});

test("there is no way back after a step of no return that is done", () => {
  const point = step("run", 2, { no_return: true });
  expect(pointOfNoReturn([step("run", 1), point])).toBe(point);
  expect(pointOfNoReturn([{ ...point, status: "running" }])).toBe(null);
});

test("what goes on now is what has not ended, and the work of no parent", () => {
  const some = (status: Operation["status"], parent_id: string | null = null) => ({
    status,
    parent_id,
  });
  const found = openOnes([
    some("succeeded"),
    some("pending"),
    some("running"),
    some("running", "op"),
  ]);
  expect(found.map(({ status }) => status)).toEqual(["running", "pending"]);
});

test("an operation with an error stands still until somebody, or time, lets it go on", () => {
  const error = { code: "database_refused", message: "The database refused." };
  expect(standsStill({ status: "blocked", error })).toBe(true);
  expect(standsStill({ status: "waiting", error })).toBe(true);
  expect(standsStill({ status: "waiting", error: null })).toBe(false);
  expect(standsStill({ status: "failed", error })).toBe(false);
});
