/** What two configurations differ in, field by field, and what people call the fields. Pure. */

export interface Difference {
  /** The way to the field: `["limits", "each"]`. */
  path: string[];
  /** Undefined where it was not there. */
  before: unknown;
  after: unknown;
}

type Node = Record<string, unknown>;

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  return differences(a, b).length === 0;
}

/** The smallest fields that differ. Lists of plain values are one field: their order is their meaning. */
export function differences(before: unknown, after: unknown, path: string[] = []): Difference[] {
  if (before === after) return [];
  if (isNode(before) && isNode(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], [...path, name]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const deep = [...before, ...after].some((item) => typeof item === "object" && item !== null);
    const length = Math.max(before.length, after.length);
    if (deep)
      return Array.from({ length }, (_, at) =>
        differences(before[at], after[at], [...path, String(at)]),
      ).flat();
    if (before.length === after.length && before.every((item, at) => same(item, after[at])))
      return [];
  }
  return [{ path, before, after }];
}

/** What a person calls a field: the titles along the way to it; positions in lists count from one. */
export function fieldWords(schema: unknown, path: readonly string[]): string {
  const words: string[] = [];
  let at = settled(schema, schema);
  for (const step of path) {
    const [word, below] = stepped(at, step, schema);
    words.push(word);
    at = below;
  }
  return words.join(" › ");
}

function stepped(at: Node, step: string, root: unknown): [word: string, below: Node] {
  if (at.type === "array") return [`no. ${Number(step) + 1}`, settled(at.items, root)];
  const properties = isNode(at.properties) ? at.properties : {};
  if (!(step in properties)) return [step, settled(at.additionalProperties, root)];
  const below = settled(properties[step], root);
  return [typeof below.title === "string" ? below.title : step, below];
}

/** Schemas of apps refer to their own `$defs` and to nothing else. */
function settled(schema: unknown, root: unknown): Node {
  if (!isNode(schema)) return {};
  const name = typeof schema.$ref === "string" ? schema.$ref.replace("#/$defs/", "") : null;
  const defs = isNode(root) && isNode(root.$defs) ? root.$defs : {};
  return name === null ? schema : { ...settled(defs[name], root), ...schema };
}

/** A value in one line. */
export function valueWords(value: unknown): string {
  if (value === undefined) return "not set";
  if (value === null) return "nothing";
  if (value === "") return "empty";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((item) => valueWords(item)).join(", ");
  if (isNode(value)) {
    const fields = Object.entries(value);
    if (fields.length === 0) return "none";
    return fields.map(([name, item]) => `${name}: ${valueWords(item)}`).join("; ");
  }
  return String(value);
}
