/** What somebody has chosen so far of a deployment, and what follows from it. Pure but for the keeping. */
import type { Schemas } from "@/lib/api";
import { plural } from "@/lib/format";
import { type Component, howMany, type JsonSchema, mayShare } from "@/lib/manifest";

export const STEPS = ["name", "placement", "config", "review"] as const;
export type Step = (typeof STEPS)[number];

/** Machines for the members of one component. */
export interface Placed {
  way: "held" | "new" | "none";
  allocations: string[];
  count: number;
  sku: string | null;
  region: string | null;
  /** New machines stay the project's when their member goes. */
  keep: boolean;
}

export interface Draft {
  name: string;
  /** "" for what the entitlement says, "channel:prod", or "version:1.2.0". */
  release: string;
  operator: string | null;
  placement: Record<string, Placed>;
  config: Record<string, unknown>;
}

export const BLANK: Draft = { name: "", release: "", operator: null, placement: {}, config: {} };

const NAME = /^[a-z][a-z0-9-]{0,38}[a-z0-9]$/;

type Components = Record<string, Component>;

/** As many as it needs, of machines that somebody holds. */
export function placedFirst(component: Component): Placed {
  return {
    way: "held",
    allocations: [],
    count: Math.max(1, component.min),
    sku: null,
    region: null,
    keep: false,
  };
}

export function placedOf(draft: Draft, key: string, component: Component): Placed {
  return draft.placement[key] ?? placedFirst(component);
}

export function size(placed: Placed): number {
  if (placed.way === "none") return 0;
  return placed.way === "held" ? placed.allocations.length : placed.count;
}

/** The components that can stand together on one machine; none where the app needs more than one. */
export function together(components: Components): string[] {
  const needed = Object.keys(components).filter((key) => (components[key]?.min ?? 0) > 0);
  if (needed.some((key) => components[key]?.min !== 1)) return [];
  const chosen = [...needed];
  for (const key of Object.keys(components))
    if (!chosen.includes(key) && chosen.every((other) => mayShare(components, key, other)))
      chosen.push(key);
  const fits = chosen.every((key, at) =>
    chosen.slice(at + 1).every((other) => mayShare(components, key, other)),
  );
  return fits && chosen.length > 1 ? chosen : [];
}

/** Everything that can stand together, on this one machine. */
export function onOne(draft: Draft, components: Components, allocation: string | null): Draft {
  const shared = together(components);
  const placement = Object.fromEntries(
    Object.entries(components).map(([key, component]) => {
      const first = placedFirst(component);
      if (!shared.includes(key)) return [key, first];
      return [key, { ...first, way: "held" as const, allocations: allocation ? [allocation] : [] }];
    }),
  );
  return { ...draft, placement };
}

/** The machine on which everything stands, if that is what was chosen. */
export function theOne(draft: Draft, components: Components): string | null {
  const shared = together(components);
  const [first] = shared.map((key) => draft.placement[key]?.allocations[0]);
  const alike = shared.every((key) => {
    const placed = draft.placement[key];
    return (
      placed?.way === "held" && placed.allocations.length === 1 && placed.allocations[0] === first
    );
  });
  return alike && first !== undefined ? first : null;
}

/** Held machines that a component's members could stand on, given where others stand. */
export function freeFor<A extends { id: string }>(
  free: A[],
  draft: Draft,
  components: Components,
  key: string,
): A[] {
  const taken = (id: string) =>
    Object.entries(draft.placement).some(
      ([other, placed]) =>
        other !== key &&
        placed.way === "held" &&
        placed.allocations.includes(id) &&
        !mayShare(components, key, other),
    );
  return free.filter((each) => !taken(each.id));
}

export interface Fault {
  location: string;
  message: string;
}

export function nameFault(name: string): string | null {
  if (NAME.test(name)) return null;
  return "2 to 40 small letters, digits and dashes, beginning with a letter.";
}

/** What is still missing of a component's machines. */
export function placedFault(placed: Placed, component: Component): string | null {
  const have = size(placed);
  if (placed.way === "new" && !(placed.sku && placed.region)) return "Choose a class and a region.";
  if (have >= component.min && have <= (component.max ?? have)) return null;
  return `It needs ${howMany(component)}; you have chosen ${have === 0 ? "none" : have}.`;
}

/** The first step at which something is missing; review where nothing is. */
export function stepMissing(draft: Draft, components: Components): Step {
  if (nameFault(draft.name)) return "name";
  const missing = Object.entries(components).some(([key, component]) =>
    placedFault(placedOf(draft, key, component), component),
  );
  return missing ? "placement" : "review";
}

export function body(
  draft: Draft,
  app: string,
  components: Components,
  operator: string,
): Schemas["DeployPlanWrite"] {
  const [how, which] = draft.release.split(/:(.*)/s);
  const placements = Object.entries(components).flatMap(([key, component]) => {
    const placed = placedOf(draft, key, component);
    return size(placed) === 0 ? [] : [[key, written(placed)] as const];
  });
  return {
    kind: "instance.deploy",
    name: draft.name,
    app,
    operator,
    version: how === "version" ? which : null,
    channel: how === "channel" ? which : null,
    config: draft.config,
    components: Object.fromEntries(placements),
    control_plane_scope: "project",
    max_parallel: 10,
  };
}

function written(placed: Placed): Schemas["PlacementWrite"] {
  if (placed.way === "held") return { allocations: placed.allocations, keep_allocations: false };
  const { count, sku, region, keep } = placed;
  return { allocations: [], count, sku, region, keep_allocations: keep };
}

const BY_CODE: Record<string, Step> = {
  name_taken: "name",
  machine_unfit: "placement",
  no_capacity: "placement",
  invalid_placement: "placement",
  unknown_component: "placement",
  invalid_config: "config",
};

/** Where somebody can mend what was refused. */
export function stepOf(location: string, code = ""): Step | null {
  if (location.startsWith("body.components")) return "placement";
  if (location.startsWith("body.config")) return "config";
  if (/^body\.(name|version|channel)\b/.test(location)) return "name";
  return BY_CODE[code] ?? null;
}

export function said(placed: Placed, names: (id: string) => string): string {
  if (placed.way === "none") return "None for now";
  if (placed.way === "held") return placed.allocations.map(names).join(", ") || "None for now";
  return `${plural(placed.count, "new machine")} of class ${placed.sku ?? "?"} in ${placed.region ?? "?"}`;
}

const SHOWN = 4;

/**
 * Which fields come first and which are folded away: what the schema calls advanced, or else all but
 * the first few that have no need to be looked at.
 */
export function split(schema: JsonSchema): { first: JsonSchema; more: JsonSchema | null } {
  const names = Object.keys(schema.properties ?? {});
  const needed = (name: string) =>
    schema.required?.includes(name) || schema.properties?.[name]?.default === undefined;
  const marked = names.some((name) => schema.properties?.[name]?.["x-ui"]?.advanced);
  const folded = names.filter((name, at) =>
    marked ? schema.properties?.[name]?.["x-ui"]?.advanced === true : !needed(name) && at >= SHOWN,
  );
  const whole = ["allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependentRequired"];
  if (folded.length < 2 || whole.some((keyword) => keyword in schema))
    return { first: schema, more: null };
  return {
    first: only(schema, (name) => !folded.includes(name)),
    more: only(schema, (name) => folded.includes(name)),
  };
}

function only(schema: JsonSchema, wanted: (name: string) => boolean): JsonSchema {
  return {
    ...schema,
    title: undefined,
    description: undefined,
    properties: Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(([name]) => wanted(name)),
    ),
    required: schema.required?.filter(wanted),
  };
}

/** What is chosen of the fields of a part. */
export function within(config: Record<string, unknown>, part: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).filter(([name]) => name in (part.properties ?? {})),
  );
}

// It outlives a reload and the way back, and ends with the tab.

const kept = (project: string, app: string) => `moorage-deploy:${project}:${app}`;

export function keep(project: string, app: string, draft: Draft | null): void {
  if (draft === null) sessionStorage.removeItem(kept(project, app));
  else sessionStorage.setItem(kept(project, app), JSON.stringify(draft));
}

export function recall(project: string, app: string): Draft {
  try {
    const text = sessionStorage.getItem(kept(project, app));
    return text ? { ...BLANK, ...(JSON.parse(text) as Partial<Draft>) } : BLANK;
  } catch {
    return BLANK;
  }
}
