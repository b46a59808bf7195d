import { describe, expect, it } from "vitest";
import { distinct, few, touched } from "@/lib/plan";

const member = (name: string, component: string, does: string) => ({
  id: null,
  name,
  component,
  does,
});
const verdict = (layer: string, allowed: boolean | null, sentence: string) => ({
  layer,
  allowed,
  sentence,
  who_can_change: null,
});

describe("the members that a plan touches", () => {
  it("are told by component, one or many", () => {
    const members = [
      member("head-1", "head", "restart"),
      member("tail-1", "tail", "restart"),
      member("tail-2", "tail", "restart"),
    ];
    expect(touched({ members }).map((each) => [each.component, each.words])).toEqual([
      ["head", "1 member restarts"],
      ["tail", "2 members restart"],
    ]);
  });

  it("are named as far as a line goes", () => {
    expect(few(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
    expect(few(["a", "b", "c"], 2)).toBe("a, b, c");
  });
});

it("says once what several layers say", () => {
  const said = distinct([
    verdict("global", true, "Fine."),
    verdict("org", true, "Fine."),
    verdict("project", false, "Not here."),
  ]);
  expect(said.map(({ layers, verdict }) => [layers, verdict.sentence])).toEqual([
    ["Platform, Organisation", "Fine."],
    ["Project", "Not here."],
  ]);
});
