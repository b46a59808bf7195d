/** What an app asks for, said so that somebody can decide about it. Pure. */
import type { Schemas } from "@/lib/api";
import { plural, sentence } from "@/lib/format";

type Declaration = Schemas["DeclarationRead"];

const SCOPES: Record<string, string> = {
  "principals.read": "See who may be on an instance: their login, user id and projects",
  "usage.report": "Report what was used, in units of its own",
  "instance.repair": "Ask for a repair when it finds something broken",
};

const TASKS: Record<string, string> = {
  exec: "run commands",
  put: "write files",
  get: "read files back",
  packages: "install packages",
  service: "start and stop services",
  "access-sync": "set up the people who may enter",
  probe: "look how things are",
};

const SECRETS: Record<string, string> = {
  artifact_pull: "to fetch the app's files",
  cluster_key: "by which members trust each other",
  join: "by which new members join",
  database: "for its database",
};

const ROLES: Record<string, string> = {
  platform_admin: "platform admins",
  tenant_admin: "organisation admins",
  project_admin: "project admins",
  project_member: "project members",
  viewer: "viewers",
};

export function roleWords(role: string): string {
  return ROLES[role] ?? sentence(role);
}

export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** What its operator does to machines and learns about people. */
export function powers(asked: Declaration): string[] {
  const found: string[] = [];
  const kinds = asked.task_kinds.map((kind) => TASKS[kind] ?? kind);
  if (kinds.length > 0) {
    const as = asked.run_as.length > 0 ? `, as ${listed(asked.run_as)}` : "";
    found.push(`On the machines of an instance: ${listed(kinds)}${as}`);
  }
  found.push(...asked.scopes.map((scope) => SCOPES[scope] ?? `Use the scope ${scope}`));
  if (asked.secrets.length > 0)
    found.push(
      `Keep ${plural(asked.secrets.length, "secret")} ${listed(asked.secrets.map((word) => SECRETS[word] ?? word))}`,
    );
  if (asked.probes.length > 0)
    found.push(
      `Look after its members with ${plural(asked.probes.length, "command")} that only read`,
    );
  return found;
}

/** One thing more, or less, that a version asks for. */
export function askWords({ what, value, sentence }: Schemas["DeclarationAskRead"]): string {
  const scope = what === "scopes" ? SCOPES[value] : undefined;
  const task = what === "task_kinds" ? TASKS[value] : undefined;
  if (scope) return `${scope}.`;
  return task ? `On the machines of an instance: ${task}.` : sentence;
}

export interface Ability {
  key: string;
  words: string;
  roles: string;
}

/** What people get with it, and which of them. */
export function abilities(asked: Declaration): Ability[] {
  return [...asked.keys, ...asked.family_keys.filter((each) => each.admitted)].map((each) => ({
    key: each.key,
    words: each.description ?? each.key,
    roles: each.roles.length > 0 ? listed(each.roles.map(roleWords)) : "nobody by default",
  }));
}
