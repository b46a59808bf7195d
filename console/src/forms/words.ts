/** What is wrong with a value, to the person who typed it. Pure. */

/** `text` is what the validator says; numbers are taken out of it. */
export function faultWords(keyword: string, text: string, limit: unknown): string {
  switch (keyword) {
    case "required":
      return "This is needed.";
    case "type":
      return `This has to be ${typeWords(limit)}.`;
    case "minLength":
      return limit === 1 ? "This must not be empty." : `At least ${limit} characters.`;
    case "maxLength":
      return `At most ${limit} characters.`;
    case "minimum":
      return `At least ${limit}.`;
    case "maximum":
      return `At most ${limit}.`;
    case "exclusiveMinimum":
      return `More than ${limit}.`;
    case "exclusiveMaximum":
      return `Less than ${limit}.`;
    case "multipleOf":
      return `A multiple of ${limit}.`;
    case "pattern":
      return `This has to look like ${limit}`;
    case "enum":
      return `One of ${Array.isArray(limit) ? limit.join(", ") : "those on the list"}.`;
    case "minItems":
    case "minProperties":
      return `At least ${limit} of these.`;
    case "maxItems":
    case "maxProperties":
      return `At most ${limit} of these.`;
    case "uniqueItems":
      return "No two may be the same.";
    case "propertyNames":
      return "A name here is not allowed.";
    case "false":
    case "additionalProperties":
    case "unevaluatedProperties":
      return "This is not known here.";
    default:
      return text;
  }
}

const TYPES: Record<string, string> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  array: "a list",
  object: "a group of fields",
  null: "nothing",
};

function typeWords(types: unknown): string {
  const all = Array.isArray(types) ? types : [types];
  return all.map((type) => TYPES[String(type)] ?? String(type)).join(" or ");
}

/** What stands at a place of a schema: `#/properties/size/minimum`. Ways through `$ref` are followed. */
export function limitAt(schema: unknown, location: string): unknown {
  const root = schema as Record<string, unknown>;
  let at: unknown = root;
  for (const step of location.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    const ref = (at as Record<string, unknown>).$ref;
    if (typeof ref === "string" && !(step in at)) at = limitAt(root, ref);
    const word = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const next: unknown = (at as Record<string, unknown>)?.[word];
    at = step === "$ref" && typeof next === "string" ? limitAt(root, next) : next;
  }
  return at;
}
