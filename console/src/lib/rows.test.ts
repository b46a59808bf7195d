import { expect, test } from "vitest";
import { type Column, compared, filtered, textsOf } from "@/lib/rows";

interface Row {
  name: string;
  size: number | null;
}
const columns: Column<Row>[] = [
  { id: "name", title: "Name", show: ({ name }) => name, value: ({ name }) => name },
  { id: "size", title: "Size", show: ({ size }) => size, value: ({ size }) => size },
  { id: "verbs", title: "", show: () => "never told" },
];
const rows: Row[] = [
  { name: "part-10", size: 3 },
  { name: "Part-2", size: null },
  { name: "part-1", size: 20 },
];
const names = (found: Row[]) => found.map(({ name }) => name);

test("a row is kept where every word of the filter stands in it, in any column", () => {
  const texts = textsOf(rows, columns);
  expect(names(filtered(rows, texts, "PART 20"))).toEqual(["part-1"]);
  expect(names(filtered(rows, texts, "told"))).toEqual([]);
  expect(filtered(rows, texts, " ")).toBe(rows);
});

test("numbers in words are sorted as numbers, and what has no value comes last either way", () => {
  expect(names(compared(rows, columns, "name"))).toEqual(["part-1", "Part-2", "part-10"]);
  expect(names(compared(rows, columns, "size"))).toEqual(["part-10", "part-1", "Part-2"]);
  expect(names(compared(rows, columns, "-size"))).toEqual(["part-1", "part-10", "Part-2"]);
  expect(compared(rows, columns, "verbs")).toBe(rows);
});
