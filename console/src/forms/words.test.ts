import { describe, expect, it } from "vitest";
import { validator } from "@/forms/validator";
import { limitAt } from "@/forms/words";

const SCHEMA = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 2 },
    name: { type: "string", minLength: 1, pattern: "^[a-z]+$" },
    kind: { enum: ["a", "b"] },
    pools: { type: "array", minItems: 1, items: { $ref: "#/$defs/pool" } },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { pool: { type: "object", properties: { most: { type: "integer", maximum: 9 } } } },
};

function faults(data: unknown): Record<string, string | undefined> {
  const { errors } = validator.validateFormData(data, SCHEMA as never);
  return Object.fromEntries(errors.map((each) => [each.property, each.message]));
}

describe("what is wrong with a form", () => {
  it("is said at the field, in words", () => {
    expect(faults({ size: 1, name: "A", kind: "c" })).toEqual({
      ".size": "At least 2.",
      ".name": "This has to look like ^[a-z]+$",
      ".kind": "One of a, b.",
    });
  });

  it("names a field that is needed", () => {
    expect(faults({})).toEqual({ ".name": "This is needed." });
  });

  it("is found behind references", () => {
    expect(faults({ name: "a", pools: [{ most: 10 }] })).toEqual({
      ".pools.0.most": "At most 9.",
    });
  });

  it("says that a field is not known", () => {
    expect(Object.values(faults({ name: "a", other: 1 }))).toEqual(["This is not known here."]);
  });

  it("takes a field that was emptied as one that is not there", () => {
    expect(faults({ name: "a", size: undefined })).toEqual({});
  });
});

it("finds what stands at a place of a schema", () => {
  expect(limitAt(SCHEMA, "#/properties/size/minimum")).toBe(2);
  expect(limitAt(SCHEMA, "#/nowhere/at/all")).toBeUndefined();
});
