import { expect, test } from "vitest";
import type { Step } from "@/lib/operations";
import { stepOf, taskState, taskWords } from "@/lib/tasks";

const steps = [
  { phase: "prepare", number: 1, name: "install packages" },
  { phase: "run", number: 1, name: "join" },
] as Step[];

test("a task names the step that it was for", () => {
  expect(stepOf({ key: "prepare/1.1/1-put-fc83" }, steps)).toBe("Install packages");
  expect(stepOf({ key: "run/1.2/exec" }, steps)).toBe("Join");
});

test("a key that names no step that is known names none", () => {
  expect(stepOf({ key: "run/7.1/exec" }, steps)).toBe(null);
  expect(stepOf({ key: "session" }, steps)).toBe(null);
});

test("a task is said in words, and one that runs is under way", () => {
  expect(taskWords({ kind: "access-sync" })).toBe("Set logins");
  expect(taskState("running").word).toBe("progressing");
  expect(taskState("timed_out")).toEqual({ word: "timed_out" });
});
