/** How to draw each field of a schema: what its author hinted at in `x-ui`, and what goes without saying. */
import type { UiSchema } from "@rjsf/utils";
import { Marked } from "@/components/Marked";
import { isNode } from "@/lib/diff";

type Node = Record<string, unknown>;

const ORDER = ["label", "input", "description", "error"];
const DEEPEST = 8;
const LONG_TEXT = 1_000;

export function hintsOf(schema: unknown, root = schema, depth = 0): UiSchema {
  const node = settled(schema, root);
  if (depth > DEEPEST) return {};
  const hints: UiSchema = {
    ...own(node),
    ...(Array.isArray(node["x-order"]) ? { "ui:order": [...node["x-order"], "*"] } : {}),
  };
  const below = (part: unknown) => hintsOf(part, root, depth + 1);
  if (isNode(node.properties))
    for (const [name, field] of Object.entries(node.properties)) hints[name] = below(field);
  if (isNode(node.items)) hints.items = below(node.items);
  if (isNode(node.additionalProperties))
    hints.additionalProperties = below(node.additionalProperties);
  return hints;
}

function own(node: Node): UiSchema {
  const said = isNode(node["x-ui"]) ? node["x-ui"] : {};
  const widget = said.widget ?? fitting(node);
  // What explains a field stands below it, so that the fields of a row stand in one line.
  const options: Node = { inputWrapperOrder: ORDER, ...said };
  delete options.widget;
  if (widget === "textarea")
    Object.assign(options, { autosize: true, minRows: said.rows ?? 6, maxRows: 24, mono: true });
  if (typeof node.description === "string")
    options.description = <Marked text={node.description} />;
  return {
    ...(widget === undefined ? {} : { "ui:widget": widget }),
    "ui:options": options,
  } as UiSchema;
}

/** The widget for what people put into a field, where the author of the schema names none. */
export function fitting(node: Node): string | undefined {
  if (node.type === "string" && isLong(node)) return "textarea";
  if (node.type === "array" && isNode(node.items))
    return plainWords(node.items) ? "tags" : undefined;
  return undefined;
}

function isLong(node: Node): boolean {
  if (node.enum || node.pattern) return false;
  return (
    node.format === "textarea" ||
    node.format === "multiline" ||
    (typeof node.maxLength === "number" && node.maxLength > LONG_TEXT)
  );
}

function plainWords(items: Node): boolean {
  return items.type === "string" && !items.enum && !items.format;
}

/** Schemas of apps refer to their own `$defs` and to nothing else. */
function settled(schema: unknown, root: unknown): Node {
  if (!isNode(schema)) return {};
  const name = typeof schema.$ref === "string" ? schema.$ref.replace("#/$defs/", "") : null;
  const defs = isNode(root) && isNode(root.$defs) ? root.$defs : {};
  return name === null ? schema : { ...settled(defs[name], root), ...schema };
}
