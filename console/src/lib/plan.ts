/** A plan in words: who is asked, what is done to whom, what it comes to. Pure. */
import type { Schemas } from "@/lib/api";
import { plural, sentence } from "@/lib/format";

type Plan = Schemas["PlanRead"];
export type Verdict = Schemas["PlanVerdictRead"];

const LAYERS: Record<string, string> = {
  catalog: "Catalog",
  entitlement: "Entitlement",
  consent: "Consent",
  family: "Family of apps",
  trust: "Trust in its files",
  global: "Platform",
  tenant: "Platform, for this organisation",
  org: "Organisation",
  project: "Project",
  entitlement_overlay: "Limits of the entitlement",
};

export function layerWords(layer: string): string {
  return LAYERS[layer] ?? sentence(layer);
}

/** What a change does to what runs. */
export function effectWords(effect: Plan["effect"]): string {
  return {
    none: "Nothing is interrupted",
    reconfigure: "Reads its configuration anew, without a restart",
    restart: "Restarts",
  }[effect];
}

const DOES: Record<string, string> = {
  join: "join",
  remove: "are taken away",
  restart: "restart",
  reconfigure: "read their configuration anew",
  stop: "stop",
  start: "start",
  upgrade: "are upgraded",
  "roll back": "go back",
};
const DOES_ALONE: Record<string, string> = {
  join: "joins",
  remove: "is taken away",
  restart: "restarts",
  reconfigure: "reads its configuration anew",
  stop: "stops",
  start: "starts",
  upgrade: "is upgraded",
  "roll back": "goes back",
};

export interface Touched {
  component: string;
  /** "3 members restart". */
  words: string;
  names: string[];
}

/** Members by component and by what happens to them, in the order in which the plan names them. */
export function touched(plan: Pick<Plan, "members">): Touched[] {
  const groups = new Map<string, { component: string; does: string; names: string[] }>();
  for (const { component, does, name } of plan.members) {
    const group = groups.get(`${component} ${does}`) ?? { component, does, names: [] };
    group.names.push(name);
    groups.set(`${component} ${does}`, group);
  }
  return [...groups.values()].map(({ component, does, names }) => {
    const what = (names.length === 1 ? DOES_ALONE : DOES)[does] ?? does;
    return { component, names, words: `${plural(names.length, "member")} ${what}` };
  });
}

/** The few names that fit into a line, and how many more there are. */
export function few(names: readonly string[], most = 6): string {
  const rest = names.length - most;
  return rest > 1 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}

/** Verdicts that say the same thing are said once. */
export function distinct(verdicts: readonly Verdict[]): { layers: string; verdict: Verdict }[] {
  const groups = new Map<string, { layers: string[]; verdict: Verdict }>();
  for (const verdict of verdicts) {
    const key = JSON.stringify([verdict.allowed, verdict.sentence]);
    const group = groups.get(key) ?? { layers: [], verdict };
    group.layers.push(layerWords(verdict.layer));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ layers, verdict }) => ({
    verdict,
    layers: layers.length > 3 ? "All layers" : layers.join(", "),
  }));
}
