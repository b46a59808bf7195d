/** The life of a version: drafted, published, advised against, ended. Pure. */
import type { Schemas } from "@/lib/api";
import { type May, no, YES } from "@/lib/can";
import { listed } from "@/lib/declaration";

type Status = Schemas["VersionRead"]["status"];
export type Channel = Schemas["ChannelRead"]["channel"];
export type VersionVerb = "publish" | "deprecate" | "restore" | "retire";

export const CHANNELS: readonly Channel[] = ["dev", "staging", "prod"];

export const VERBS: Record<
  VersionVerb,
  { label: string; what: string; permission: string; says: boolean; danger?: boolean }
> = {
  publish: {
    label: "Publish",
    what: "From then on it never changes: manifest, runbook and files stay as they are. Its files have to be uploaded.",
    permission: "catalog.version.publish",
    says: false,
  },
  deprecate: {
    label: "Deprecate",
    what: "It goes on working, and everybody sees that you advise against it. Say what to use instead.",
    permission: "catalog.version.deprecate",
    says: true,
  },
  restore: {
    label: "Restore",
    what: "The advice against it is taken back; it is published as before.",
    permission: "catalog.version.deprecate",
    says: false,
  },
  retire: {
    label: "Retire",
    what: "Nobody begins to use it any more. What runs goes on running. There is no way back.",
    permission: "catalog.version.retire",
    says: true,
    danger: true,
  },
};

const FROM: Record<VersionVerb, readonly Status[]> = {
  publish: ["draft"],
  deprecate: ["published"],
  restore: ["deprecated"],
  retire: ["published", "deprecated"],
};

/** Whether a version's state allows a verb; channels that point to it keep it alive. */
export function may(status: Status, verb: VersionVerb, channels: readonly string[]): May {
  if (!FROM[verb].includes(status)) return no(`It is ${status === "draft" ? "a draft" : status}.`);
  if (verb === "retire" && channels.length > 0)
    return no(`${listed(channels)} points to it. Promote another there first.`);
  return YES;
}
