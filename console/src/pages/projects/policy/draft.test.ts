import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { documentOf, draftOf } from "@/pages/projects/policy/draft";

const document = (more: Partial<Schemas["DocumentRead"]> = {}): Schemas["DocumentRead"] => ({
  operations: null,
  channels: null,
  artifact_sources: null,
  regions: null,
  skus: null,
  versions: null,
  quotas: null,
  ...more,
});

test("what is not changed in a form comes back as it was", () => {
  const given = {
    regions: { allow: ["north"], deny: [] },
    skus: { allow: null, deny: ["huge"] },
    versions: { greeter: ">=1.2,<2" },
    quotas: { instances: 3 },
  };
  expect(documentOf(draftOf(document(given)))).toEqual(given);
});

test("an empty list of what is allowed allows nothing, and is kept", () => {
  const given = { regions: { allow: [], deny: [] } };
  expect(documentOf(draftOf(document(given)))).toEqual(given);
});

test("a layer that limits nothing says nothing", () => {
  expect(documentOf(draftOf(document()))).toEqual({});
  const none = { quotas: { gpus: 0 } };
  expect(documentOf(draftOf(document(none)))).toEqual(none);
});

test("a row without an app or a constraint is no limit", () => {
  const draft = draftOf(document());
  draft.versions = [
    { key: 0, app: "greeter", constraint: " " },
    { key: 1, app: "", constraint: ">=1" },
  ];
  expect(documentOf(draft)).toEqual({});
});
