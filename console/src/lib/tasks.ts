/** What was done on machines for an operation, in words. Pure. */
import type { Schemas } from "@/lib/api";
import { sentence } from "@/lib/format";
import type { Step } from "@/lib/operations";

export type Task = Schemas["TaskRead"];

const KINDS: Record<Task["kind"], string> = {
  exec: "Run a command",
  put: "Put a file",
  get: "Read a file",
  packages: "Install packages",
  service: "Set a service",
  "access-sync": "Set logins",
  probe: "Look",
  wipe: "Wipe",
};

export function taskWords(task: Pick<Task, "kind">): string {
  return KINDS[task.kind];
}

const KEY = /^(run|prepare|finish)\/(\d+)\b/;

/** The step that a task was for: its key begins with the step's place. */
export function stepOf(task: Pick<Task, "key">, steps: readonly Step[]): string | null {
  const [, phase, number] = KEY.exec(task.key) ?? [];
  const found = steps.find((step) => step.phase === phase && step.number === Number(number));
  return found ? sentence(found.name) : null;
}

/** For `Status`: a task that runs is under way. */
export function taskState(status: Task["status"]): { word: string; label?: string } {
  if (status === "running") return { word: "progressing", label: "Running" };
  return status === "succeeded" ? { word: status, label: "Done" } : { word: status };
}
