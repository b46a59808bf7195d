/** The heavy half of `SchemaForm`. */
import Form from "@rjsf/mantine";
import type { ErrorSchema, RJSFSchema, UiSchema } from "@rjsf/utils";
import { ErrorSchemaBuilder } from "@rjsf/utils";
import type { SchemaFormProps } from "@/forms/SchemaForm";
import { validator } from "@/forms/validator";

export default function DrawnForm({
  schema,
  hints,
  value,
  onChange,
  onSubmit,
  faults = [],
  disabled,
  id = "form",
  children,
}: SchemaFormProps) {
  return (
    <Form
      schema={schema as RJSFSchema}
      uiSchema={{ "ui:submitButtonOptions": { norender: true }, ...hints } as UiSchema}
      validator={validator}
      formData={value}
      onChange={(event) => onChange(event.formData)}
      onSubmit={(event) => onSubmit?.(event.formData)}
      extraErrors={placed(faults)}
      disabled={disabled}
      idPrefix={id}
      showErrorList={false}
      focusOnFirstError
      noHtml5Validate
      omitExtraData={false}
    >
      {children ?? <></>}
    </Form>
  );
}

/** What the platform found wrong, at the fields that it is about. */
function placed(faults: readonly { location: string; message: string }[]): ErrorSchema {
  const errors = new ErrorSchemaBuilder();
  for (const fault of faults) {
    const path = fault.location
      .split(/[/.]/)
      .filter((word) => word && word !== "body" && word !== "config" && word !== "input");
    errors.addErrors(fault.message, path);
  }
  return errors.ErrorSchema;
}
