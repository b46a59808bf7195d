import { expect, test } from "vitest";
import { type CloudEvent, isWanted, joined } from "@/lib/history";

const event = (number: number, more: Partial<CloudEvent> = {}) =>
  ({ id: `evt_${number}`, type: "apps.member.ready", ...more }) as CloudEvent;

test("what came by the stream and by a look back stands there once", () => {
  expect(joined([event(5), event(4)], [event(4), event(3)]).map(({ id }) => id)).toEqual([
    "evt_5",
    "evt_4",
    "evt_3",
  ]);
});

test("the stream adds what the list is narrowed to, and nothing else", () => {
  const one = event(1, { appinstanceid: "ins_1", projectid: "prj_1" });
  expect(isWanted(one, {})).toBe(true);
  expect(isWanted(one, { instance: "ins_1", project: "prj_1", area: "apps.member." })).toBe(true);
  expect(isWanted(one, { instance: "ins_2" })).toBe(false);
  expect(isWanted(one, { project: "prj_2" })).toBe(false);
  expect(isWanted(one, { area: "infra." })).toBe(false);
});
