import { describe, expect, it } from "vitest";
import { differences, fieldWords, valueWords } from "@/lib/diff";

const SCHEMA = {
  type: "object",
  properties: {
    pools: { type: "array", title: "Pools", items: { $ref: "#/$defs/pool" } },
    limits: { type: "object", title: "Limits", properties: { each: { title: "For each" } } },
    labels: { type: "object", title: "Labels", additionalProperties: { type: "string" } },
  },
  $defs: { pool: { type: "object", properties: { name: { title: "Name" } } } },
};

describe("what two configurations differ in", () => {
  it("is named by the smallest field", () => {
    expect(differences({ limits: { each: 1, all: 2 } }, { limits: { each: 3, all: 2 } })).toEqual([
      { path: ["limits", "each"], before: 1, after: 3 },
    ]);
  });

  it("is nothing where they say the same", () => {
    expect(differences({ a: [1, { b: [] }] }, { a: [1, { b: [] }] })).toEqual([]);
  });

  it("shows what came and what went", () => {
    expect(differences({ old: 1 }, { new: 2 })).toEqual([
      { path: ["old"], before: 1, after: undefined },
      { path: ["new"], before: undefined, after: 2 },
    ]);
  });

  it("goes into lists of things and leaves lists of words whole", () => {
    expect(differences({ a: [{ n: 1 }] }, { a: [{ n: 2 }, { n: 3 }] })).toEqual([
      { path: ["a", "0", "n"], before: 1, after: 2 },
      { path: ["a", "1"], before: undefined, after: { n: 3 } },
    ]);
    expect(differences({ a: ["x", "y"] }, { a: ["x"] })).toEqual([
      { path: ["a"], before: ["x", "y"], after: ["x"] },
    ]);
  });
});

describe("the name of a field", () => {
  it("is its titles, with the place in a list counted from one", () => {
    expect(fieldWords(SCHEMA, ["pools", "0", "name"])).toBe("Pools › no. 1 › Name");
    expect(fieldWords(SCHEMA, ["limits", "each"])).toBe("Limits › For each");
  });

  it("is its own name where it has no title", () => {
    expect(fieldWords(SCHEMA, ["labels", "rack"])).toBe("Labels › rack");
    expect(fieldWords(SCHEMA, ["unknown"])).toBe("unknown");
  });
});

it("says values in words", () => {
  expect([undefined, "", true, [], ["a", "b"], { a: 1 }, 0].map(valueWords)).toEqual([
    "not set",
    "empty",
    "yes",
    "none",
    "a, b",
    "a: 1",
    "0",
  ]);
});
