/** Which questions an event makes old. Pure; `live.ts` asks it for every event that comes. */
import type { Key, Schemas } from "@/lib/api";

type CloudEvent = Schemas["CloudEvent"];

/** What moved without being an event: steps of operations, health, rows of a view. */
export interface Moved {
  instance: string;
  what: "operations" | "instance" | "views";
  /** Of a view; null where it may be any. */
  name: string | null;
}

interface Rule {
  /** Questions that begin so… */
  path: string;
  /** …and where the event names this part of the path, only those about the same thing. */
  fill?: "instance" | "subject" | "project" | "org";
}

/** By how the type of an event begins; the first that fits. What stands nowhere touches nothing. */
const RULES: readonly [type: string, rules: readonly Rule[]][] = [
  [
    "apps.operation.",
    [
      { path: "/v1/operations/{operation}" },
      { path: "/v1/operations" },
      { path: "/v1/instances/{instance}", fill: "instance" },
      { path: "/v1/projects/{project}/instances", fill: "project" },
      { path: "/v1/projects/{project}/node-sessions", fill: "project" },
      { path: "/v1/triage/" },
    ],
  ],
  [
    "apps.",
    [
      { path: "/v1/instances/{instance}", fill: "instance" },
      { path: "/v1/projects/{project}/instances", fill: "project" },
      { path: "/v1/projects/{project}/allocations", fill: "project" },
      { path: "/v1/instances" },
      { path: "/v1/members/" },
    ],
  ],
  [
    "infra.allocation.",
    [
      { path: "/v1/projects/{project}/allocations", fill: "project" },
      { path: "/v1/allocations/" },
      { path: "/v1/nodes" },
    ],
  ],
  ["infra.access.", [{ path: "/v1/allocations/" }, { path: "/v1/grants/" }]],
  [
    "infra.",
    [
      { path: "/v1/nodes" },
      { path: "/v1/skus" },
      { path: "/v1/regions" },
      { path: "/v1/platform/" },
      { path: "/v1/projects/{project}/allocations" },
    ],
  ],
  [
    "catalog.",
    [
      { path: "/v1/apps" },
      { path: "/v1/app-" },
      { path: "/v1/entitlements" },
      { path: "/v1/families" },
      { path: "/v1/artifacts" },
      { path: "/v1/projects/{project}/" },
    ],
  ],
  [
    "iam.",
    [
      { path: "/v1/me" },
      { path: "/v1/orgs" },
      { path: "/v1/users" },
      { path: "/v1/sessions" },
      { path: "/v1/access-tokens" },
      { path: "/v1/memberships" },
      { path: "/v1/service-accounts" },
      { path: "/v1/oidc-providers" },
      { path: "/v1/projects/{project}/memberships", fill: "project" },
      { path: "/v1/projects/{project}/service-accounts", fill: "project" },
    ],
  ],
  [
    "policy.",
    [
      { path: "/v1/policy" },
      { path: "/v1/orgs/" },
      { path: "/v1/projects/{project}/" },
      { path: "/v1/entitlements" },
    ],
  ],
  ["events.", [{ path: "/v1/webhooks" }]],
];

export function touches(event: CloudEvent, key: Key): boolean {
  const [path, fills] = key;
  if (path === "/v1/audit") return true;
  const found = RULES.find(([start]) => event.type.startsWith(start));
  return found?.[1].some((rule) => path.startsWith(rule.path) && fits(rule, event, fills)) ?? false;
}

function fits(rule: Rule, event: CloudEvent, fills: Record<string, string>): boolean {
  if (rule.fill === "instance") return fills.instance === event.appinstanceid;
  if (rule.fill === "project") return fills.project === event.projectid;
  return true;
}

export function touchedBy(moved: Moved, key: Key): boolean {
  const [path, fills] = key;
  if (moved.what === "operations")
    return (
      path.startsWith("/v1/operations") ||
      path.startsWith("/v1/tasks/") ||
      (path === "/v1/instances/{instance}/operations" && fills.instance === moved.instance)
    );
  if (fills.instance !== moved.instance) return false;
  if (moved.what === "views")
    return path === "/v1/instances/{instance}/views/{view}"
      ? moved.name === null || fills.view === moved.name
      : path.endsWith("/views");
  return path === "/v1/instances/{instance}" || path === "/v1/instances/{instance}/members";
}
