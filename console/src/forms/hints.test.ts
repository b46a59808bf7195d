import { describe, expect, it } from "vitest";
import { fitting, hintsOf } from "@/forms/hints";

describe("the widget of a field", () => {
  it("has many lines where much text fits in", () => {
    expect(fitting({ type: "string", maxLength: 100_000 })).toBe("textarea");
    expect(fitting({ type: "string", format: "multiline" })).toBe("textarea");
    expect(fitting({ type: "string", maxLength: 60 })).toBeUndefined();
    expect(fitting({ type: "string", maxLength: 100_000, pattern: "^x" })).toBeUndefined();
  });

  it("takes words one by one where a list holds words", () => {
    expect(fitting({ type: "array", items: { type: "string" } })).toBe("tags");
    expect(fitting({ type: "array", items: { type: "object" } })).toBeUndefined();
  });
});

describe("hints of a schema", () => {
  it("are those of its author first", () => {
    const hints = hintsOf({
      type: "object",
      properties: { a: { type: "string", "x-ui": { widget: "password", placeholder: "Yours" } } },
    });
    expect(hints.a).toMatchObject({
      "ui:widget": "password",
      "ui:options": { placeholder: "Yours" },
    });
  });

  it("reach through lists and references, and end where a schema holds itself", () => {
    const schema = {
      type: "object",
      properties: { all: { type: "array", items: { $ref: "#/$defs/node" } } },
      $defs: {
        node: {
          type: "object",
          properties: {
            text: { type: "string", format: "textarea" },
            of: { $ref: "#/$defs/node" },
          },
        },
      },
    };
    expect(hintsOf(schema).all.items.text["ui:widget"]).toBe("textarea");
  });
});
