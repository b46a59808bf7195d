import { expect, test } from "vitest";
import { deedWords, eventWords, keyGroups, keyWords } from "@/lib/deeds";

test("an entry of the record says what was done", () => {
  expect(deedWords("apps.instance.create")).toBe("created an instance");
  expect(deedWords("apps.operation.cancel")).toBe("cancelled an operation");
  expect(deedWords("iam.user.reset_password")).toBe("reset the password of an account");
  expect(deedWords("iam.session.started")).toBe("started a sign-in");
});

test("an app's own key is said as it is", () => {
  expect(deedWords("greeter.hello.say")).toBe("used greeter.hello.say");
});

test("a permission says what it lets somebody do", () => {
  expect(keyWords("apps.instance.read")).toBe("See instances");
  expect(keyWords("iam.member.add")).toBe("Add people and their roles");
  expect(keyWords("greeter.hello.say")).toBe("Greeter hello say");
});

test("an event says what became of its subject", () => {
  expect(eventWords("apps.instance.running")).toBe("Instance is running");
  expect(eventWords("apps.operation.requested")).toBe("Operation was asked for");
  expect(eventWords("apps.member.drained")).toBe("Member is drained");
  expect(eventWords("iam.org.created")).toBe("Organisation was created");
  expect(eventWords("infra.allocation.release_failed")).toBe("Machine could not be released");
});

test("keys come in groups that people look for", () => {
  expect(keyGroups(["infra.node.read", "apps.instance.read", "greeter.hello.say"])).toEqual([
    ["Instances and operations", ["apps.instance.read"]],
    ["Greeter", ["greeter.hello.say"]],
    ["Machines", ["infra.node.read"]],
  ]);
});
