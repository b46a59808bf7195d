/** The heavy half of `SchemaForm`. */
import Form from "@rjsf/mantine";
import type { ErrorSchema, RJSFSchema, UiSchema } from "@rjsf/utils";
import { ErrorSchemaBuilder } from "@rjsf/utils";
import { useMemo, useState } from "react";
import { hintsOf } from "@/forms/hints";
import type { SchemaFormProps } from "@/forms/SchemaForm";
import { Faults, Fields, Input, List, ListItem, LongText, Named, Tags } from "@/forms/templates";
import { validator } from "@/forms/validator";

const TEMPLATES = {
  BaseInputTemplate: Input,
  ObjectFieldTemplate: Fields,
  ArrayFieldTemplate: List,
  ArrayFieldItemTemplate: ListItem,
  WrapIfAdditionalTemplate: Named,
  FieldErrorTemplate: Faults,
};
const WIDGETS = { tags: Tags, TextareaWidget: LongText, textarea: LongText };

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
  const [tried, setTried] = useState(false);
  const drawn = useMemo(
    () =>
      ({
        ...hintsOf(schema),
        "ui:submitButtonOptions": { norender: true },
        ...hints,
      }) as UiSchema,
    [schema, hints],
  );
  const extra = useMemo(() => placed(faults), [faults]);
  return (
    <Form
      schema={schema as RJSFSchema}
      uiSchema={drawn}
      validator={validator}
      formData={value}
      onChange={(event) => onChange(event.formData)}
      onSubmit={(event) => onSubmit?.(event.formData)}
      onError={() => setTried(true)}
      liveValidate={tried ? "onChange" : undefined}
      extraErrors={extra}
      templates={TEMPLATES}
      widgets={WIDGETS}
      disabled={disabled}
      idPrefix={id}
      showErrorList={false}
      focusOnFirstError
      noHtml5Validate
      experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipEmptyDefaults" }}
    >
      {children ?? <></>}
    </Form>
  );
}

/** What the platform found wrong, at the fields that it is about: `body.input.size`, `/pools/0/name`. */
function placed(faults: readonly { location: string; message: string }[]): ErrorSchema {
  const errors = new ErrorSchemaBuilder();
  for (const fault of faults) {
    const place = fault.location.replace(/^body\.(config|input)(?=[./]|$)/, "");
    errors.addErrors(fault.message, place.split(/[/.]/).filter(Boolean));
  }
  return errors.ErrorSchema;
}
