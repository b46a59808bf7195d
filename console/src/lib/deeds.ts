/** What keys, entries of the record and events say, in words. Pure; knows the platform's own nouns alone. */
import { sentence } from "@/lib/format";

/** By "area.noun", or by the noun alone: one of them, and many. */
const NOUNS: Record<string, readonly [one: string, many: string]> = {
  access: ["access to a machine", "access to machines"],
  access_token: ["an access token", "access tokens"],
  agent: ["a node agent", "node agents"],
  allocation: ["a machine", "machines"],
  app: ["an app", "apps"],
  artifact: ["an artifact", "artifacts"],
  break_glass: ["break-glass", "break-glass"],
  channel: ["a channel", "channels"],
  credential: ["an access credential", "access credentials"],
  decision: ["a decision of policy", "decisions of policy"],
  delivery: ["a delivery", "deliveries"],
  enrolment: ["an enrolment", "enrolments"],
  entitlement: ["an entitlement", "entitlements"],
  entry: ["an entry of the record", "the audit record"],
  event: ["an event", "events"],
  family: ["a family", "families"],
  global: ["the policy for all", "the policy for all"],
  instance: ["an instance", "instances"],
  login: ["a Unix login", "Unix logins"],
  member: ["a member", "members"],
  metrics: ["the metrics", "the metrics"],
  node: ["a node", "nodes"],
  oidc_identity: ["a sign-in identity", "sign-in identities"],
  oidc_provider: ["a sign-in provider", "sign-in providers"],
  operation: ["an operation", "operations"],
  operator: ["an app operator", "app operators"],
  org: ["an organisation", "organisations"],
  overlay: ["a policy", "policies"],
  plan: ["a plan", "plans"],
  principal: ["a principal", "principals"],
  probe: ["a probe", "probes"],
  project: ["a project", "projects"],
  publisher_key: ["a publisher key", "publisher keys"],
  pull: ["a pull of an artifact", "pulls of artifacts"],
  region: ["a region", "regions"],
  role: ["a role", "roles"],
  secret: ["a secret", "secrets"],
  self: ["their own account", "one’s own account"],
  service_account: ["a service account", "service accounts"],
  service_account_key: ["a key of a service account", "keys of service accounts"],
  session: ["a session", "sessions"],
  signing_key: ["a signing key", "signing keys"],
  sku: ["a SKU", "SKUs"],
  source: ["a source of artifacts", "sources of artifacts"],
  ssh_authority: ["an SSH authority", "SSH authorities"],
  ssh_host: ["an SSH host", "SSH hosts"],
  task: ["a task on a machine", "tasks on machines"],
  usage: ["usage", "usage"],
  user: ["an account", "accounts"],
  version: ["a version", "versions"],
  webhook: ["a webhook", "webhooks"],
  "iam.member": ["somebody’s role", "people and their roles"],
  "iam.session": ["a sign-in", "sign-ins"],
  "infra.session": ["a session on a machine", "sessions on machines"],
  "platform.allocation": ["a tenant’s machine", "machines of tenants"],
  "platform.artifact": ["a tenant’s artifact", "artifacts of tenants"],
  "platform.instance": ["a tenant’s instance", "instances of tenants"],
};

/** Verbs that say more than one word: before the noun, now and in the past. */
const VERBS: Record<string, readonly [now: string, past: string]> = {
  appoint_admin: ["appoint an admin of", "appointed an admin of"],
  cancel: ["cancel", "cancelled"],
  enrol: ["enrol", "enrolled"],
  explain: ["ask for", "asked for"],
  list: ["list", "listed"],
  manage_keys: ["manage keys of", "managed keys of"],
  read: ["see", "read"],
  read_triage: ["read the triage of", "read the triage of"],
  request_repair: ["ask to repair", "asked to repair"],
  reset_password: ["reset the password of", "reset the password of"],
  admit: ["admit apps to", "admitted an app to"],
  write: ["write", "wrote"],
};

const PASTS: Record<string, string> = {
  app_admitted: "admitted an app to",
  app_withdrawn: "withdrew an app from",
  cancel_requested: "asked to cancel",
  certificate_issued: "issued a certificate for",
  password_changed: "changed the password of",
  password_reset: "reset the password of",
  written: "wrote",
};

function parts(key: string): { noun: readonly [string, string]; verb: string } | null {
  const words = key.split(".");
  const [area, name, verb] = words;
  if (words.length !== 3 || !area || !name || !verb) return null;
  const noun = NOUNS[`${area}.${name}`] ?? NOUNS[name];
  return noun ? { noun, verb } : null;
}

function past(verb: string): string {
  const known = PASTS[verb] ?? VERBS[verb]?.[1];
  if (known) return known;
  if (verb.endsWith("ed")) return verb.replaceAll("_", " ");
  return `${verb}${verb.endsWith("e") ? "d" : "ed"}`.replaceAll("_", " ");
}

/** "apps.instance.create" → "created an instance". Keys of apps are said as they are. */
export function deedWords(action: string): string {
  const found = parts(action);
  return found ? `${past(found.verb)} ${found.noun[0]}` : `used ${action}`;
}

/** "apps.instance.create" → "Create instances": what a permission lets somebody do. */
export function keyWords(key: string): string {
  if (key === "policy.override") return "Go beyond policy, with a reason";
  const found = parts(key);
  if (!found) return sentence(key);
  const verb = VERBS[found.verb]?.[0] ?? found.verb.replaceAll("_", " ");
  return `${sentence(verb)} ${found.noun[1]}`;
}

const AREAS: Record<string, string> = {
  apps: "Instances and operations",
  audit: "Evidence",
  catalog: "Catalog and publishing",
  events: "Events and webhooks",
  iam: "People and accounts",
  infra: "Machines",
  platform: "Break-glass",
  policy: "Policy",
};

/** Keys in groups, as people look for them; keys of apps last, under their own name. */
export function keyGroups(keys: readonly string[]): [title: string, keys: string[]][] {
  const groups = new Map<string, string[]>();
  for (const key of [...keys].sort()) {
    const area = key.split(".")[0] ?? key;
    const title = AREAS[area] ?? sentence(area);
    groups.set(title, [...(groups.get(title) ?? []), key]);
  }
  return [...groups];
}

const STATES: Record<string, string> = {
  app_admitted: "admitted an app",
  app_withdrawn: "no longer admits an app",
  cancel_requested: "is asked to stop",
  certificate_issued: "was given by a certificate",
  delete_failed: "could not be deleted",
  drained: "is drained",
  failed: "failed",
  health_changed: "changed its health",
  made: "was made",
  password_changed: "has a new password",
  password_reset: "needs a new password",
  release_failed: "could not be released",
  requested: "was asked for",
  set: "was set",
  stopped: "is stopped",
  succeeded: "succeeded",
  written: "was written",
};

/** "apps.instance.running" → "Instance is running". */
export function eventWords(type: string): string {
  const found = parts(type);
  if (!found) return sentence(type);
  const noun = found.noun[0].replace(/^(an?|the) /, "");
  const state =
    STATES[found.verb] ??
    (found.verb.endsWith("ed")
      ? `was ${found.verb.replaceAll("_", " ")}`
      : `is ${found.verb.replaceAll("_", " ")}`);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${state}`;
}
