// @vitest-environment jsdom
import { expect, test } from "vitest";
import type { Component } from "@/lib/manifest";
import {
  BLANK,
  body,
  type Draft,
  freeFor,
  keep,
  nameFault,
  onOne,
  placedFault,
  placedFirst,
  recall,
  split,
  stepMissing,
  stepOf,
  theOne,
  together,
} from "@/pages/projects/catalog/deploy/draft";

function component(more: Partial<Component> = {}): Component {
  return { min: 0, max: null, verbs: [], may_share_host_with: [], description: null, ...more };
}
const PAIR = {
  head: component({ min: 1, max: 1, may_share_host_with: ["hand"] }),
  hand: component({ max: 100 }),
};
const APART = { head: component({ min: 1, max: 1 }), hand: component() };

const held = (...allocations: string[]) => ({ ...placedFirst(PAIR.head), allocations });

test("components that may share stand on one machine", () => {
  expect(together(PAIR)).toEqual(["head", "hand"]);
  const draft = onOne(BLANK, PAIR, "alc_1");
  expect(draft.placement.head?.allocations).toEqual(["alc_1"]);
  expect(draft.placement.hand?.allocations).toEqual(["alc_1"]);
  expect(theOne(draft, PAIR)).toBe("alc_1");
});

test("components that say nothing of sharing stand apart", () => {
  expect(together(APART)).toEqual([]);
  expect(theOne({ ...BLANK, placement: { head: held("alc_1") } }, APART)).toBeNull();
});

test("an app that needs three of something fits on no one machine", () => {
  const peers = { peer: component({ min: 3, max: 9, may_share_host_with: ["peer"] }) };
  expect(together(peers)).toEqual([]);
});

test("a machine is offered again only to those who may share it", () => {
  const machines = [{ id: "alc_1" }, { id: "alc_2" }];
  const draft: Draft = { ...BLANK, placement: { head: held("alc_1") } };
  expect(freeFor(machines, draft, APART, "hand")).toEqual([{ id: "alc_2" }]);
  expect(freeFor(machines, draft, PAIR, "hand")).toEqual(machines);
});

test("what is missing is said, and where", () => {
  expect(stepMissing(BLANK, PAIR)).toBe("name");
  expect(stepMissing({ ...BLANK, name: "blue" }, PAIR)).toBe("placement");
  const whole = { ...BLANK, name: "blue", placement: { head: held("alc_1") } };
  expect(stepMissing(whole, PAIR)).toBe("review");
});

test("too few, too many and half a wish for new machines are all named", () => {
  expect(placedFault(held(), PAIR.head)).toContain("exactly 1");
  expect(placedFault(held("alc_1", "alc_2"), PAIR.head)).toContain("2");
  expect(placedFault({ ...held(), way: "new", count: 1 }, PAIR.head)).toContain("Choose a class");
  expect(placedFault({ ...held(), way: "new", sku: "big", region: "here" }, PAIR.head)).toBeNull();
});

test("a name is what a host could be called", () => {
  expect(nameFault("blue-2")).toBeNull();
  for (const bad of ["", "b", "Blue", "2blue", "blue-", "b".repeat(41)])
    expect(nameFault(bad)).not.toBeNull();
});

test("what is asked of the platform says how each component is placed, and leaves out those that are not", () => {
  const draft = {
    ...BLANK,
    name: "blue",
    release: "channel:prod",
    placement: { head: held("alc_1") },
  };
  const asked = body(draft, "app_1", PAIR, "opr_1");
  expect(asked.components).toEqual({ head: { allocations: ["alc_1"], keep_allocations: false } });
  expect([asked.channel, asked.version]).toEqual(["prod", null]);
  expect(body({ ...draft, release: "version:1.0.0+a:b" }, "app_1", PAIR, "opr_1").version).toBe(
    "1.0.0+a:b",
  );
});

test("a refusal leads to the step where it can be mended", () => {
  expect(stepOf("body.components.head")).toBe("placement");
  expect(stepOf("body.config.limits.most")).toBe("config");
  expect(stepOf("body.name")).toBe("name");
  expect(stepOf("", "machine_unfit")).toBe("placement");
  expect(stepOf("", "weather")).toBeNull();
});

test("required fields and the first few are shown, the rest is folded away", () => {
  const field = { type: "string", default: "" };
  const properties = {
    a: field,
    b: field,
    c: field,
    d: field,
    e: field,
    f: field,
    g: { type: "string" },
  };
  const { first, more } = split({
    type: "object",
    required: ["f"],
    properties: { ...properties, h: field },
  });
  expect(Object.keys(first.properties ?? {})).toEqual(["a", "b", "c", "d", "f", "g"]);
  expect(Object.keys(more?.properties ?? {})).toEqual(["e", "h"]);
});

test("an app says itself what is advanced", () => {
  const field = { type: "string", default: "" };
  const hidden = { ...field, "x-ui": { advanced: true } };
  const { first, more } = split({ type: "object", properties: { a: hidden, b: field, c: hidden } });
  expect(Object.keys(first.properties ?? {})).toEqual(["b"]);
  expect(Object.keys(more?.properties ?? {})).toEqual(["a", "c"]);
});

test("a draft is kept until it is thrown away, each app's apart", () => {
  const draft = { ...BLANK, name: "blue" };
  keep("prj_1", "app_1", draft);
  expect(recall("prj_1", "app_1")).toEqual(draft);
  expect(recall("prj_1", "app_2")).toEqual(BLANK);
  keep("prj_1", "app_1", null);
  expect(recall("prj_1", "app_1")).toEqual(BLANK);
});
