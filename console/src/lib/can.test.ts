import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { all, may, no, YES } from "@/lib/can";

const me = {
  own_permissions: ["iam.self.read"],
  grants: [
    { org_id: "org_1", project_id: "prj_1", permissions: ["apps.instance.read"] },
    { org_id: "org_2", project_id: null, permissions: ["iam.project.read"] },
  ],
} as unknown as Schemas["MeRead"];

test("a role in a project counts in that project", () => {
  expect(may(me, "apps.instance.read", { org: "org_1", project: "prj_1" })).toBe(YES);
  expect(may(me, "apps.instance.read", { org: "org_1", project: "prj_2" }).allowed).toBe(false);
});

test("a role in an org counts in all its projects", () => {
  expect(may(me, "iam.project.read", { org: "org_2", project: "prj_9" }).allowed).toBe(true);
  expect(may(me, "iam.project.read", { org: "org_1" }).allowed).toBe(false);
});

test("a role in one project is none in the org as a whole", () => {
  expect(may(me, "apps.instance.read", { org: "org_1" }).allowed).toBe(false);
  expect(may(me, "apps.instance.read").allowed).toBe(true);
});

test("a refusal names the key and who can help", () => {
  expect(may(me, "apps.member.add", { org: "org_1", project: "prj_1" }).why).toBe(
    "You need the permission apps.member.add in this project; its admins can give you a role.",
  );
});

test("the first reason against is the one that is said", () => {
  expect(all(YES, no("It is stopped."), no("Later."))).toEqual({
    allowed: false,
    why: "It is stopped.",
  });
});
