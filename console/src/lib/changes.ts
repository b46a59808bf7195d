/** What may be asked of an instance as it stands. The platform decides; this only spares a refusal. Pure. */
import { all, type May, no, YES } from "@/lib/can";
import { sentence } from "@/lib/format";
import type { Instance } from "@/lib/members";

export type Change =
  | "instance.configure"
  | "instance.upgrade"
  | "instance.rollback"
  | "instance.stop"
  | "instance.start"
  | "instance.restart"
  | "instance.repair"
  | "instance.decommission"
  | "credential.rotate";

type State = Pick<Instance, "status" | "last_operation">;

const GONE = ["deleting", "deleted"];

export function mayChange(kind: Change, instance: State, can: (key: string) => May): May {
  const key = kind === "instance.decommission" ? "apps.instance.delete" : "apps.instance.update";
  return all(can(key), fits(kind, instance));
}

function fits(kind: Change, { status }: State): May {
  const word = sentence(status).toLowerCase();
  if (GONE.includes(status))
    return no(status === "deleted" ? "It has been decommissioned." : "It is being decommissioned.");
  if (kind === "instance.decommission" || kind === "instance.stop")
    return status === "stopped" && kind === "instance.stop" ? no("It is stopped already.") : YES;
  if (kind === "instance.start")
    return status === "stopped" || status === "failed" ? YES : no(`It is ${word}, not stopped.`);
  if (status === "running" || status === "failed") return YES;
  return status === "stopped" ? no("It is stopped. Start it first.") : no(`It is ${word} now.`);
}

/** Versions in their order: `1.10.0` is later than `1.9.0`, and `2.0.0-rc.1` is before `2.0.0`. */
export function laterThan(version: string, other: string): boolean {
  const [a, b] = [parts(version), parts(other)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const [left, right] = [a.numbers[at] ?? 0, b.numbers[at] ?? 0];
    if (left !== right) return left > right;
  }
  if (a.early === b.early) return false;
  if (a.early === "" || b.early === "") return a.early === "";
  return a.early.localeCompare(b.early, "en", { numeric: true }) > 0;
}

function parts(version: string): { numbers: number[]; early: string } {
  const [main = "", ...early] = version.split("+")[0]?.split("-") ?? [];
  return { numbers: main.split(".").map(Number), early: early.join("-") };
}
