/** Nodes in words: what they are made of, whether they answer, and what may be done with them. Pure. */
import type { Schemas } from "@/lib/api";
import { type May, no, YES } from "@/lib/can";
import { bytes, plural } from "@/lib/format";

type Node = Schemas["NodeRead"];

export type NodeVerb = "maintenance" | "quarantine" | "resume" | "reimage" | "retire";

export const VERBS: Record<
  NodeVerb,
  { label: string; what: string; danger?: boolean; reason: boolean }
> = {
  maintenance: {
    label: "Maintenance",
    what: "Nobody gets it until you resume it. Only a node that nobody holds can go.",
    reason: true,
  },
  quarantine: {
    label: "Quarantine",
    what: "Something is wrong with it: it gets no work and no new holder until you resume it. Whoever holds it sees that.",
    reason: true,
  },
  resume: { label: "Resume", what: "It is in use again as it was before.", reason: false },
  reimage: {
    label: "Image anew",
    what: "Everything on it is overwritten and it enrols again. The provisioner does it where there is one; otherwise you do.",
    danger: true,
    reason: true,
  },
  retire: {
    label: "Retire",
    what: "It is taken out for good. Its agent stops; its name may be given again. There is no way back.",
    danger: true,
    reason: true,
  },
};

/** Whether its state allows a verb; the platform has the last word. */
export function allows(node: Pick<Node, "status" | "allocation_id">, verb: NodeVerb): May {
  if (node.status === "retired") return no("It is retired.");
  const out = node.status === "maintenance" || node.status === "quarantined";
  if (verb === "resume") return out ? YES : no("It is in use: there is nothing to resume.");
  if (verb === node.status || (verb === "quarantine" && node.status === "quarantined"))
    return no("It is so already.");
  if (verb !== "quarantine" && node.allocation_id)
    return no("A project holds it. It has to be given back first; cordon it meanwhile.");
  return YES;
}

/** Whether its agent is heard of. Nodes without agent are called, and not heard. */
export function heard(node: Pick<Node, "reach" | "reachable" | "enrolled_at" | "status">): {
  word: string;
  label: string;
} {
  if (node.status === "retired") return { word: "none", label: "Gone" };
  if (node.reach !== "agent") return { word: "none", label: "By SSH" };
  if (!node.enrolled_at) return { word: "none", label: "Never seen" };
  return node.reachable
    ? { word: "live", label: "Answers" }
    : { word: "unreachable", label: "Silent" };
}

interface Inventory {
  cpu?: { threads?: number; model?: string; sockets?: number; cores?: number };
  memory_bytes?: number;
  gpus?: { model?: string; memory_bytes?: number }[];
  disks?: { name?: string; bytes?: number; model?: string; rotational?: boolean }[];
  nics?: { name?: string; mac?: string; addresses?: string[]; speed_mbps?: number }[];
  os?: { id?: string; version?: string; kernel?: string };
  virtualization?: string;
  arch?: string;
}

/** What a host said of itself; every part of it may be missing. */
export function inventoryOf(node: Pick<Node, "inventory">): Inventory {
  return (node.inventory ?? {}) as Inventory;
}

/** "4 × H100", each model once. */
export function gpuWords(gpus: readonly { model?: string | null }[] | undefined): string {
  const counts = new Map<string, number>();
  for (const { model } of gpus ?? [])
    counts.set(model || "GPU", (counts.get(model || "GPU") ?? 0) + 1);
  return [...counts].map(([model, count]) => `${count} × ${model}`).join(", ");
}

export function diskWords(disk: NonNullable<Inventory["disks"]>[number]): string {
  const kind = disk.rotational ? "" : ", flash";
  return `${disk.name ?? "disk"}: ${bytes(disk.bytes ?? null)}${kind}${disk.model ? ` (${disk.model})` : ""}`;
}

/** `rack=a1 row=2` and back. */
export function labelsText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

export function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((word) => {
        const [key = "", ...rest] = word.split("=");
        return [key, rest.join("=")];
      }),
  );
}

/** A host in a line, as it says of itself: "16 threads, 64 GiB, 2 × NVIDIA H200". */
export function hardwareWords(said: Node["hardware"]): string {
  if (!said) return "";
  return [
    said.threads && plural(said.threads, "thread"),
    said.memory_bytes && bytes(said.memory_bytes),
    gpuWords(said.gpus.map((model) => ({ model }))),
  ]
    .filter(Boolean)
    .join(", ");
}
