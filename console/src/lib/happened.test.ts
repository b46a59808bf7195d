import { expect, test } from "vitest";
import { happened } from "@/lib/happened";

test("an operation is called by what it does", () => {
  const data = { kind: "instance.deploy", reason: "" };
  const said = happened({ type: "apps.operation.succeeded", subject: "opn_1", data });
  expect(said.title).toBe("Deploy");
  expect(said.operation).toBe("opn_1");
  expect(said.why).toBe(null);
});

test("a member is named, with the reason for its state", () => {
  const data = { name: "part-1", status_reason: "No disk.", operation_id: "opn_2" };
  const said = happened({ type: "apps.member.failed", subject: "mem_1", data });
  expect(said).toEqual({
    title: "Member",
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
  expect(said.title).toBe("Instance health");
  expect(said.word).toBe("degraded");
});
