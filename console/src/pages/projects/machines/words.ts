/** Machines in words. Pure. */
import type { Schemas } from "@/lib/api";
import { sentence } from "@/lib/format";

type Machine = Schemas["AllocationRead"];

/** Holds a node still: it is paid for, or on its way in or out. */
export function isHeld(machine: Pick<Machine, "status">): boolean {
  return !["released", "failed"].includes(machine.status);
}

/** Why a machine cannot be given back now; null where it can. */
export function keeps(machine: Pick<Machine, "status" | "instance_id">): string | null {
  if (machine.instance_id !== null && machine.status === "active")
    return "Something runs on it. Remove its members first.";
  if (machine.status === "releasing") return "It is being given back already.";
  if (!isHeld(machine)) return "It is no longer held.";
  return null;
}

const DIRTY: Record<string, string> = {
  abandoned: "What ran on it was given up without being cleaned",
  residue: "Something was left on it",
};

export function dirtyWords(reason: string): string {
  return DIRTY[reason] ?? sentence(reason);
}

/** What its host answers with. */
export function reachWords(machine: Pick<Machine, "node">): { word: string; label: string } {
  const node = machine.node;
  if (node === null) return { word: "none", label: "No longer held" };
  if (node.quarantined) return { word: "quarantined", label: "Quarantined" };
  if (node.reachable === false) return { word: "unreachable", label: "Does not answer" };
  if (node.reachable === null) return { word: "none", label: "Not known" };
  return { word: "live", label: "Answers" };
}
