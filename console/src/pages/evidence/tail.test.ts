import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { MOST, merged, nameIn } from "@/pages/evidence/tail";

type CloudEvent = Schemas["CloudEvent"];
const event = (sequence: number, data: Record<string, unknown> = {}) =>
  ({ id: `evt_${sequence}`, sequence: `${sequence}`, data, appslug: null }) as CloudEvent;

test("the newest event comes first, and each comes once", () => {
  const found = merged([event(9), event(8)], [event(10), event(9)]);
  expect(found.map((each) => each.sequence)).toEqual(["10", "9", "8"]);
});

test("a long tail keeps its newest end", () => {
  const found = merged(
    [],
    Array.from({ length: MOST + 50 }, (_, number) => event(number)),
  );
  expect(found).toHaveLength(MOST);
  expect(found[0]?.sequence).toBe(`${MOST + 49}`);
});

test("an event is called what it calls its subject", () => {
  expect(nameIn(event(1, { name: "blue" }))).toBe("blue");
  expect(nameIn(event(1))).toBeNull();
});
