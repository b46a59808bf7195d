/**
 * Checks forms against the schemas of apps, by walking the schema.
 *
 * The usual validator writes JavaScript for each schema and evaluates it, which our pages forbid
 * (`script-src 'self'`). Schemas of apps refer to their own `$defs` and to nothing else.
 */
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import {
  createErrorHandler,
  getDefaultFormState,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  unwrapErrorHandler,
  type ValidatorType,
  validationDataMerge,
} from "@rjsf/utils";
import { faultWords, limitAt } from "@/forms/words";

/** "A property does not match" says nothing that the property's own fault does not say better. */
const PASSING_ON = new Set([
  "properties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
]);
const REQUIRED = /required property "(.*)"/s;

function units(schema: RJSFSchema, data: unknown, root: RJSFSchema = schema): OutputUnit[] {
  if (data === undefined) return [];
  const whole = { ...schema, $defs: { ...root.$defs, ...schema.$defs } };
  // Forms keep fields that were emptied as undefined; on the wire they are absent.
  const wire = JSON.parse(JSON.stringify(data));
  const found = new Validator(whole as never, "2020-12", false).validate(wire).errors;
  return found.filter(
    (one) =>
      !PASSING_ON.has(one.keyword) &&
      !found.some((other) => other.keywordLocation.startsWith(`${one.keywordLocation}/`)),
  );
}

function fault(schema: RJSFSchema, unit: OutputUnit): RJSFValidationError {
  const { keyword, keywordLocation, instanceLocation, error } = unit;
  const missing = keyword === "required" ? REQUIRED.exec(error)?.[1] : undefined;
  const path = instanceLocation
    .split("/")
    .slice(1)
    .map((word) => decodeURIComponent(word).replaceAll("~1", "/").replaceAll("~0", "~"));
  const property = [...path, ...(missing === undefined ? [] : [missing])]
    .map((word) => `.${word}`)
    .join("");
  const message = faultWords(keyword, error, limitAt(schema, keywordLocation));
  return {
    name: keyword,
    property,
    message,
    stack: `${property.slice(1)}: ${message}`,
    schemaPath: keywordLocation,
  };
}

export const validator: ValidatorType = {
  isValid: (schema, data, root) => data !== undefined && units(schema, data, root).length === 0,
  rawValidation: (schema, data) => ({ errors: units(schema, data) as never[] }),
  validateFormData(data, schema, customValidate, transformErrors, uiSchema) {
    const found = units(schema, data).map((unit) => fault(schema, unit));
    const errors = transformErrors ? transformErrors(found, uiSchema) : found;
    const result = { errors, errorSchema: toErrorSchema(errors) };
    if (!customValidate) return result;
    const whole = getDefaultFormState(validator, schema, data, schema, true);
    const handler = customValidate(
      whole,
      createErrorHandler(whole),
      uiSchema,
      result.errorSchema as never,
    );
    return validationDataMerge(result as never, unwrapErrorHandler(handler)) as never;
  },
};

export default validator;
