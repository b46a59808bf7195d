/** What an operation means for people: how far it is, what its failure asks for, what each verb does. Pure. */
import type { Schemas } from "@/lib/api";
import { plural } from "@/lib/format";
import { isOver } from "@/lib/status";

export type Operation = Schemas["OperationRead"];
export type Step = Schemas["OperationStepRead"];
export type OperationVerb = Operation["verbs"][number];

export interface Progress {
  done: number;
  total: number;
  words: string;
}

type Measured = Pick<Operation, "children" | "progress">;

/** How far it is; null where nobody can tell. Its parts say it better than its own count. */
export function progressOf({ children, progress }: Measured): Progress | null {
  if (children && children.total > 0) {
    const failed = children.failed > 0 ? `, ${children.failed} failed` : "";
    return {
      done: children.ended,
      total: children.total,
      words: `${children.ended} of ${plural(children.total, "member")} done${failed}`,
    };
  }
  if (progress && progress.total > 0)
    return {
      done: progress.done,
      total: progress.total,
      words: `${progress.done} of ${progress.total}`,
    };
  return null;
}

const STATES: Partial<Record<Operation["status"] | Step["status"], [word: string, label: string]>> =
  {
    pending: ["pending", "Waits its turn"],
    ready: ["queued", "Next in line"],
    running: ["progressing", "Running"],
    undoing: ["undoing", "Taking back"],
    undone: ["cancelled", "Taken back"],
    undo_failed: ["failed", "Could not be taken back"],
    succeeded: ["succeeded", "Done"],
  };

/** For `Status`: a state of work, which is no state of a thing. What runs is under way, and not yet well. */
export function stateOf(status: Operation["status"] | Step["status"]): {
  word: string;
  label?: string;
} {
  const [word, label] = STATES[status] ?? [status];
  return { word, label };
}

const WAITING: Record<string, string> = {
  pending: "Waits for what was asked before it.",
  ready: "Next in line: the app's operator takes it as soon as it can.",
  waiting: "Waits, and goes on by itself.",
};

/** What it is at, in a sentence: its own words, or what its state means. */
export function atWords(operation: Pick<Operation, "status" | "message" | "phase">): string | null {
  if (operation.message) return operation.message;
  if (operation.status === "waiting" && operation.phase === "children")
    return "Its members are being worked on, each by an operation of its own.";
  return WAITING[operation.status] ?? null;
}

export interface Recovery {
  title: string;
  words: string;
}

const RECOVERY: Record<NonNullable<Operation["recovery"]>, Recovery> = {
  retryable: {
    title: "This may pass",
    words: "The cause is likely to go away by itself. Trying again later has a good chance.",
  },
  reconcilable: {
    title: "The next repair mends it",
    words: "Nothing is lost: repair the instance, or try again, and it is brought in order.",
  },
  repairable: {
    title: "A repair helps",
    words: "The app knows how to mend this. Repair the instance, then try again.",
  },
  operator: {
    title: "A person has to decide",
    words: "The app will not guess here. Read what it says, put that right, and let it go on.",
  },
  terminal: {
    title: "This cannot be mended",
    words: "Trying again will not help. Only removing or replacing what it was about is left.",
  },
};

/** What its failure means, and what to do about it. */
export function recoveryOf(
  operation: Pick<Operation, "status" | "recovery" | "attempt">,
): Recovery | null {
  if (!operation.recovery) return null;
  if (operation.recovery === "retryable" && operation.status === "waiting")
    return {
      title: "It is tried again by itself",
      words: "The last attempt failed in a way that may pass. Nothing needs to be done yet.",
    };
  if (isOver(operation.status) || operation.status === "blocked")
    return RECOVERY[operation.recovery];
  return null;
}

export interface VerbWords {
  label: string;
  /** What it does in the state that the operation is in. */
  does: string;
  danger: boolean;
}

type Standing = Pick<Operation, "status" | "direction" | "children" | "cancel_requested_at">;

export function verbWords(verb: OperationVerb, operation: Standing): VerbWords {
  if (verb === "retry")
    return {
      label: "Try again",
      does: operation.children
        ? "Members that failed are tried again. What is done is not done twice."
        : "It begins where it failed. Steps that are done are not done twice.",
      danger: false,
    };
  if (verb === "resume")
    return {
      label: "Let it go on",
      does:
        operation.direction === "undo" || operation.cancel_requested_at
          ? "It goes on taking back what it did."
          : "It goes on at the step where it stopped.",
      danger: false,
    };
  if (verb === "cancel") return { label: "Cancel", does: cancelled(operation), danger: true };
  if (verb === "replace")
    return {
      label: "Replace the member",
      does: "Another machine takes the member's place; this one is given up.",
      danger: false,
    };
  return {
    label: "Abandon",
    does:
      "The last resort: it ends here and now, without the app. Nobody knows then what is left " +
      "on the machines, and they have to be cleaned before anybody else gets them.",
    danger: true,
  };
}

function cancelled({ status, children }: Standing): string {
  if (status === "pending") return "It has not begun: nothing has to be taken back.";
  if (status === "failed")
    return "What it did before it failed is taken back, the last step first.";
  if (children && children.succeeded > 0)
    return "No more members are begun. Those that are done stay as they are.";
  return "It stops, and what it did is taken back, the last step first.";
}

const PHASES: Record<Step["phase"], string> = {
  prepare: "Before its members",
  run: "Steps",
  finish: "After its members",
};
const ORDER: Step["phase"][] = ["prepare", "run", "finish"];

export interface Phase {
  phase: Step["phase"];
  title: string;
  steps: Step[];
}

/** The steps in the order in which they were taken, in the parts of a larger whole. */
export function phasesOf(steps: readonly Step[]): Phase[] {
  return ORDER.map((phase) => ({
    phase,
    title: PHASES[phase],
    steps: steps.filter((step) => step.phase === phase).sort((a, b) => a.number - b.number),
  })).filter(({ steps }) => steps.length > 0);
}

/** The step behind which nothing is taken back any more: the first of its kind that is done. */
export function pointOfNoReturn(steps: readonly Step[]): Step | null {
  return steps.find((step) => step.no_return && step.status === "succeeded") ?? null;
}

/** Those that have not ended, the one that is at work first. */
export function openOnes<T extends Pick<Operation, "status" | "parent_id">>(
  operations: readonly T[],
): T[] {
  const rank = (each: T) => (["running", "undoing", "blocked"].includes(each.status) ? 0 : 1);
  return operations
    .filter((each) => each.parent_id === null && !isOver(each.status))
    .sort((a, b) => rank(a) - rank(b));
}

/** Whether it has an error and goes no further by itself, or has to be tried again. */
export function standsStill(operation: Pick<Operation, "status" | "error">): boolean {
  return operation.error !== null && ["blocked", "waiting"].includes(operation.status);
}
