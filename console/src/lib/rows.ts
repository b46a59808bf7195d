/** Sorting and filtering of tables. Pure. */
import type { ReactNode } from "react";

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

/** Rows in which every word of the filter stands somewhere. */
export function filtered<T>(rows: T[], columns: Column<T>[], filter: string): T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns
      .map((column) => String(column.value?.(row) ?? "").toLowerCase())
      .join("\n");
    return words.every((word) => text.includes(word));
  });
}

/** `name` sorts upwards, `-name` downwards; what has no value comes last either way. */
export function compared<T>(rows: T[], columns: Column<T>[], order: string): T[] {
  const down = order.startsWith("-");
  const value = columns.find((column) => column.id === order.replace(/^-/, ""))?.value;
  if (!value) return rows;
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [value(a) ?? "", value(b) ?? ""];
    if (left === "" || right === "") return Number(left === "") - Number(right === "");
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * String(left).localeCompare(String(right), "en", { numeric: true });
  });
}
