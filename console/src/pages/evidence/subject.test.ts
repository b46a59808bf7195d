import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { nameIn } from "@/pages/evidence/subject";

const event = (data: Record<string, unknown> = {}) =>
  ({ data, appslug: null }) as Schemas["CloudEvent"];

test("an event is called what it calls its subject", () => {
  expect(nameIn(event({ name: "blue" }))).toBe("blue");
  expect(nameIn(event({ kind: "member.remove" }))).toBe("Remove member");
  expect(nameIn(event())).toBeNull();
});
