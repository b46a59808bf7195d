import { expect, test } from "vitest";
import { may } from "@/pages/projects/publishing/versions";

test("a draft is published, and nothing else", () => {
  expect(may("draft", "publish", []).allowed).toBe(true);
  expect(may("draft", "retire", []).why).toContain("a draft");
});

test("a version that a channel points to is not retired", () => {
  expect(may("published", "retire", ["prod"]).why).toContain("prod points to it");
  expect(may("published", "retire", []).allowed).toBe(true);
});

test("what was retired stays so", () => {
  for (const verb of ["publish", "deprecate", "restore", "retire"] as const)
    expect(may("retired", verb, []).allowed).toBe(false);
});
