/** How an event calls what it is about. Pure. */
import type { Schemas } from "@/lib/api";
import { kindWords } from "@/lib/format";

/** What the event calls its subject, where it says so. */
export function nameIn(event: Schemas["CloudEvent"]): string | null {
  for (const key of ["name", "slug", "email", "kind", "app_slug"]) {
    const value = event.data[key];
    if (typeof value === "string" && value !== "") return key === "kind" ? kindWords(value) : value;
  }
  return event.appslug;
}
