import { expect, test } from "vitest";
import type { Schemas } from "@/lib/api";
import { abilities, askWords, listed, powers } from "@/lib/declaration";

const NOTHING: Schemas["DeclarationRead"] = {
  families: [],
  keys: [],
  family_keys: [],
  scopes: [],
  touches: [],
  secrets: [],
  task_kinds: [],
  run_as: [],
  actions: [],
  views: [],
  probes: [],
  sentences: [],
};

test("words are listed as people list them", () => {
  expect(listed([])).toBe("");
  expect(listed(["one"])).toBe("one");
  expect(listed(["one", "two", "three"])).toBe("one, two and three");
});

test("an app that asks for nothing has no powers", () => {
  expect(powers(NOTHING)).toEqual([]);
});

test("what runs on machines, and as whom, is one sentence", () => {
  expect(powers({ ...NOTHING, task_kinds: ["exec", "packages"], run_as: ["root"] })).toEqual([
    "On the machines of an instance: run commands and install packages, as root",
  ]);
});

test("a scope that is new to this page is named all the same", () => {
  expect(powers({ ...NOTHING, scopes: ["weather.change"] })).toEqual([
    "Use the scope weather.change",
  ]);
});

test("a family's key that the platform does not admit gives nobody anything", () => {
  const key = { key: "fleet.sail", description: "Sail.", roles: ["viewer"], means: null };
  const asked = { ...NOTHING, family_keys: [{ ...key, admitted: false }] };
  expect(abilities(asked)).toEqual([]);
  expect(abilities({ ...NOTHING, family_keys: [{ ...key, admitted: true }] })).toEqual([
    { key: "fleet.sail", words: "Sail.", roles: "viewers" },
  ]);
});

test("what is new in a version is said as the rest of what it asks for", () => {
  const ask = { what: "scopes", value: "usage.report", sentence: "It has the scope usage.report." };
  expect(askWords(ask)).toBe("Report what was used, in units of its own.");
  expect(askWords({ ...ask, what: "task_kinds", value: "get" })).toBe(
    "On the machines of an instance: read files back.",
  );
  expect(askWords({ ...ask, value: "of.tomorrow" })).toBe(ask.sentence);
});
