/** Sorting and filtering of tables. Pure. */
import type { ReactNode } from "react";
import { inOrder } from "@/lib/format";

export interface Column<T> {
  id: string;
  title: string;
  show: (row: T) => ReactNode;
  /** What it is sorted and filtered by; a column without it is neither. */
  value?: (row: T) => string | number | boolean | null | undefined;
  /** Stands in the heading in place of the title, which still names the column. */
  head?: ReactNode;
  width?: number | string;
  align?: "left" | "right";
  /** Stays in sight at the right edge while the rest is scrolled. */
  stick?: boolean;
}

/** What each row says, for `filtered`. */
export function textsOf<T>(rows: readonly T[], columns: readonly Column<T>[]): string[] {
  const told = columns.filter(({ value }) => value);
  return rows.map((row) =>
    told
      .map((column) => String(column.value?.(row) ?? ""))
      .join("\n")
      .toLowerCase(),
  );
}

/** Rows in which every word of the filter stands somewhere. */
export function filtered<T>(rows: T[], texts: readonly string[], filter: string): T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((_, at) => words.every((word) => texts[at]?.includes(word)));
}

/** `name` sorts upwards, `-name` downwards; what has no value comes last either way. */
export function compared<T>(rows: T[], columns: Column<T>[], order: string): T[] {
  const down = order.startsWith("-");
  const value = columns.find((column) => column.id === order.replace(/^-/, ""))?.value;
  if (!value) return rows;
  const sign = down ? -1 : 1;
  const told = rows.map((row) => ({ row, said: value(row) ?? "" }));
  told.sort(({ said: left }, { said: right }) => {
    if (left === "" || right === "") return Number(left === "") - Number(right === "");
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * inOrder(String(left), String(right));
  });
  return told.map(({ row }) => row);
}
