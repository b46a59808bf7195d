import { expect, test } from "vitest";
import { blocks, spans } from "@/lib/prose";

test("headings, text, lists, tables and code are told apart", () => {
  const text = [
    "# Operate it",
    "First line",
    "and its second.",
    "- one",
    "  goes on",
    "- two",
    "",
    "| On | What |",
    "|---|---|",
    "| a | b |",
    "```console",
    "$ do | it",
    "# as it is",
    "```",
  ].join("\n");
  expect(blocks(text)).toEqual([
    { kind: "heading", level: 1, text: "Operate it" },
    { kind: "text", text: "First line and its second." },
    { kind: "list", ordered: false, items: ["one goes on", "two"] },
    { kind: "table", head: ["On", "What"], rows: [["a", "b"]] },
    { kind: "code", text: "$ do | it\n# as it is" },
  ]);
});

test("code that is never closed goes on to the end", () => {
  expect(blocks("```\nleft open")).toEqual([{ kind: "code", text: "left open" }]);
});

test("marks of every kind come to an end", () => {
  for (const odd of ["|", "||\n|-|", "#", "1.", "- ", "``` ", "*", "  indented", "| a |\nb"])
    expect(blocks(odd).length).toBeLessThan(5);
});

test("code and strong words stand out, and links are their words", () => {
  expect(spans("Run `ls` **now**, see [the page](https://elsewhere.example).")).toEqual([
    { kind: "text", text: "Run " },
    { kind: "code", text: "ls" },
    { kind: "text", text: " " },
    { kind: "strong", text: "now" },
    { kind: "text", text: ", see the page." },
  ]);
});
