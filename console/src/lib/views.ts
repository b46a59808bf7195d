/** Views of apps: how a cell is said and sorted, and which actions a row can be given to. Pure. */
import type { Schemas } from "@/lib/api";
import { isNode } from "@/lib/diff";
import { bytes, duration } from "@/lib/format";

export type View = Schemas["ViewRead"];
export type ViewRow = Schemas["ViewRowRead"];
export type Action = Schemas["ActionRead"];
type Type = Schemas["ColumnRead"]["type"];

const NUMBERS = new Set<Type>(["integer", "number", "duration", "bytes"]);

export function isNumeric(type: Type): boolean {
  return NUMBERS.has(type);
}

/** What a cell is sorted by. Apps are taken at their word only where it fits the column. */
export function sortable(type: Type, value: unknown): string | number | null {
  if (value === null || value === undefined || value === "") return null;
  if (type === "time") return Date.parse(String(value)) || null;
  if (isNumeric(type)) return Number.isFinite(Number(value)) ? Number(value) : null;
  return cellWords(type, value);
}

/** A cell in words; moments stay as they are, for whoever shows them as such. */
export function cellWords(type: Type, value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (type === "boolean") return value === true ? "Yes" : "No";
  const number = typeof value === "number" ? value : Number.NaN;
  if (type === "duration" && Number.isFinite(number)) return duration(number);
  if (type === "bytes" && Number.isFinite(number)) return bytes(number);
  if ((type === "number" || type === "integer") && Number.isFinite(number))
    return number.toLocaleString("en", { useGrouping: Math.abs(number) >= 10_000 });
  if (Array.isArray(value)) return value.map((each) => cellWords("text", each)).join(", ");
  return isNode(value) ? JSON.stringify(value) : String(value);
}

/**
 * The actions that a row can be given to: those that take what tells the rows apart, under the same name,
 * and, where rows name the member that they are about, those that act on one member.
 */
export function rowActions(view: Pick<View, "key" | "columns">, actions: Action[]): Action[] {
  return actions.filter((action) => takesKey(view, action) || takesMember(view, action));
}

function takesKey({ key, columns }: Pick<View, "key" | "columns">, action: Action): boolean {
  const field = fieldsOf(action)[key];
  const type = columns.find((column) => column.name === key)?.type ?? "text";
  return isNode(field) && fits(type, field.type);
}

function takesMember({ columns }: Pick<View, "columns">, action: Action): boolean {
  return action.component !== null && columns.some((column) => column.name === "member");
}

function fieldsOf(action: Action): Record<string, unknown> {
  return isNode(action.input?.properties) ? action.input.properties : {};
}

function fits(column: Type, field: unknown): boolean {
  if (field === undefined) return true;
  return isNumeric(column) ? field === "integer" || field === "number" : field === "string";
}

/** What an action begins with when it is started from a row. `member` is a name. */
export function given(
  view: Pick<View, "key" | "columns">,
  action: Action,
  row: ViewRow,
): { input: Record<string, unknown>; member: string | null } {
  const member = takesMember(view, action) ? row.data.member : null;
  return {
    input: takesKey(view, action) ? { [view.key]: row.data[view.key] ?? row.key } : {},
    member: typeof member === "string" && member ? member : null,
  };
}

/** Nobody has looked for so long that what stands there may be wrong. */
export const STALE_MS = 90_000;

export function isStale(observedAt: string | null, now: number): boolean {
  return observedAt !== null && now - Date.parse(observedAt) > STALE_MS;
}
