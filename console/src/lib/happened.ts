/** What an event of an app says, in words. Pure. */
import type { Schemas } from "@/lib/api";
import { kindWords, sentence } from "@/lib/format";

type CloudEvent = Schemas["CloudEvent"];

export interface Happened {
  title: string;
  /** The name of what it is about, where the event tells it. */
  about: string | null;
  why: string | null;
  /** The state that it led to. */
  word: string;
  operation: string | null;
  member: string | null;
}

/** Its type is `area.noun.state`; what it carries names the thing. */
export function happened(event: Pick<CloudEvent, "type" | "subject" | "data">): Happened {
  const [, noun = "", state = ""] = event.type.split(".");
  const data = event.data as Record<string, unknown>;
  const text = (name: string) => (typeof data[name] === "string" && data[name] ? data[name] : null);
  const changed = state === "health_changed";
  const kind = noun === "operation" ? text("kind") : null;
  const word = changed ? (text("health") ?? state) : state;
  const title = changed
    ? `${sentence(noun)} is ${word}`
    : `${kind ? kindWords(kind) : sentence(noun)}: ${sentence(state).toLowerCase()}`;
  return {
    title,
    about: text("name"),
    why: text("status_reason") ?? text("reason"),
    word,
    operation: noun === "operation" ? event.subject : text("operation_id"),
    member: noun === "member" ? event.subject : text("member_id"),
  };
}
