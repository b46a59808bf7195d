import { expect, test } from "vitest";
import { happened } from "@/lib/happened";
import { backwards, type CloudEvent, joined } from "@/lib/history";

test("an operation is called by what it does", () => {
  const data = { kind: "instance.deploy", reason: "" };
  const said = happened({ type: "apps.operation.succeeded", subject: "opn_1", data });
  expect(said.title).toBe("Deploy: succeeded");
  expect(said.operation).toBe("opn_1");
  expect(said.why).toBe(null);
});

test("a member is named, with the reason for its state", () => {
  const data = { name: "part-1", status_reason: "No disk.", operation_id: "opn_2" };
  const said = happened({ type: "apps.member.failed", subject: "mem_1", data });
  expect(said).toEqual({
    title: "Member: failed",
    about: "part-1",
    why: "No disk.",
    word: "failed",
    operation: "opn_2",
    member: "mem_1",
  });
});

test("a change of health says what it is now", () => {
  const data = { name: "blue", health: "degraded" };
  const said = happened({ type: "apps.instance.health_changed", subject: "ins_1", data });
  expect(said.title).toBe("Instance is degraded");
  expect(said.word).toBe("degraded");
});

const event = (number: number, instance = "ins_1") =>
  ({ id: `evt_${number}`, sequence: `${number}`, appinstanceid: instance }) as CloudEvent;

test("a look back ends where the one before began, and has the newest first", () => {
  const told = [event(1), event(2, "ins_2"), event(3), event(4)];
  const found = backwards(told, 3, ({ appinstanceid }) => appinstanceid === "ins_1");
  expect(found.map(({ id }) => id)).toEqual(["evt_3", "evt_1"]);
});

test("what came by the stream and by a look back stands there once", () => {
  expect(joined([event(5), event(4)], [event(4), event(3)]).map(({ id }) => id)).toEqual([
    "evt_5",
    "evt_4",
    "evt_3",
  ]);
});
