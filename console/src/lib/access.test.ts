import { expect, it } from "vitest";
import { blocksOf } from "@/lib/access";

it("tells what is said from what is typed", () => {
  const text = "Come in\nfrom your own machine:\n  knock one\n  knock two\n\nThen look:\n\tlook\n";
  expect(blocksOf(text)).toEqual([
    { words: "Come in from your own machine", commands: ["knock one", "knock two"] },
    { words: "Then look", commands: ["look"] },
  ]);
});

it("takes text without commands as it is, and commands without text", () => {
  expect(blocksOf("Ask the desk.")).toEqual([{ words: "Ask the desk.", commands: [] }]);
  expect(blocksOf("  knock")).toEqual([{ words: "", commands: ["knock"] }]);
  expect(blocksOf("")).toEqual([]);
});
