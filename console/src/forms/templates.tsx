/** How groups, lists and single fields of a form are laid out. */
import {
  ActionIcon,
  Box,
  Button,
  Collapse,
  Fieldset,
  Group,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { generateTemplates } from "@rjsf/mantine";
import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type BaseInputTemplateProps,
  canExpand,
  type FieldErrorProps,
  getUiOptions,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
  type WidgetProps,
  type WrapIfAdditionalTemplateProps,
} from "@rjsf/utils";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";

interface Drawn {
  name: string;
  content: ReactElement<{ schema?: RJSFSchema; uiSchema?: Record<string, unknown> }>;
  hidden?: boolean;
}

/** Short fields stand side by side; groups, lists and long texts take the whole width. */
export function Fields(props: ObjectFieldTemplateProps) {
  const { title, description, properties, schema, uiSchema, formData, fieldPathId } = props;
  const isRoot = fieldPathId.path.length === 0;
  const all = (properties as unknown as Drawn[]).filter((each) => !each.hidden);
  const plain = all.filter((each) => !isAdvanced(each));
  const advanced = all.filter(isAdvanced);
  const body = (
    <Stack gap="md">
      {!isRoot && <Lead>{getUiOptions(uiSchema).description ?? description}</Lead>}
      {plain.length > 0 && <FieldGrid fields={plain} />}
      {all.length === 0 && !isRoot && (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      )}
      {advanced.length > 0 && <More fields={advanced} />}
      {canExpand(schema, uiSchema, formData) && (
        <Add onClick={props.onAddProperty} disabled={props.disabled || props.readonly} />
      )}
    </Stack>
  );
  const isItem = typeof fieldPathId.path.at(-1) === "number";
  return isRoot || isItem ? (
    <Box id={fieldPathId.$id}>{body}</Box>
  ) : (
    <Fieldset
      id={fieldPathId.$id}
      legend={
        <Text fw={600} size="sm">
          {title}
        </Text>
      }
      p="md"
      pt={4}
    >
      {body}
    </Fieldset>
  );
}

function FieldGrid({ fields }: { fields: Drawn[] }) {
  return (
    <Box
      style={{
        display: "grid",
        gap: "16px 20px",
        alignItems: "start",
        gridTemplateColumns: "repeat(auto-fill, minmax(min(100%, 260px), 1fr))",
      }}
    >
      {fields.map((field) => (
        <Box key={field.name} style={isWide(field) ? { gridColumn: "1 / -1" } : undefined} miw={0}>
          {field.content}
        </Box>
      ))}
    </Box>
  );
}

function More({ fields }: { fields: Drawn[] }) {
  const [open, { toggle }] = useDisclosure();
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={open}
        leftSection={open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
      >
        {open ? "Fewer settings" : "More settings"}
      </Button>
      <Collapse expanded={open}>
        <Box pt="sm">
          <FieldGrid fields={fields} />
        </Box>
      </Collapse>
    </div>
  );
}

function isWide({ content }: Drawn): boolean {
  const { schema, uiSchema } = content.props;
  if (schema && ADDITIONAL_PROPERTY_FLAG in schema) return true;
  if (uiSchema?.["ui:widget"] === "textarea") return true;
  if (uiSchema?.["ui:widget"] === "tags") return false;
  return schema?.type === "object" || schema?.type === "array" || schema?.$ref !== undefined;
}

function isAdvanced({ content }: Drawn): boolean {
  return getUiOptions(content.props.uiSchema as never).advanced === true;
}

function Lead({ children }: { children: ReactNode }) {
  if (!children) return null;
  return (
    <Text size="xs" c="dimmed" component="div">
      {children}
    </Text>
  );
}

export function List(props: ArrayFieldTemplateProps) {
  const { title, uiSchema, schema, items, canAdd, onAddClick, disabled, readonly } = props;
  return (
    <Fieldset
      legend={
        <Text fw={600} size="sm">
          {title}
        </Text>
      }
      id={props.fieldPathId.$id}
      p="md"
      pt={4}
    >
      <Stack gap="sm">
        <Lead>{getUiOptions(uiSchema).description ?? schema.description}</Lead>
        {items.length === 0 && (
          <Text size="sm" c="dimmed">
            None yet.
          </Text>
        )}
        {items}
        {canAdd && <Add onClick={onAddClick} disabled={disabled || readonly} />}
      </Stack>
    </Fieldset>
  );
}

export function ListItem({
  buttonsProps,
  children,
  hasToolbar,
  index,
}: ArrayFieldItemTemplateProps) {
  const { disabled, readonly, hasMoveUp, hasMoveDown, hasRemove } = buttonsProps;
  const off = disabled || readonly;
  return (
    <Group
      wrap="nowrap"
      align="flex-start"
      gap="xs"
      className="ruled"
      pt={index > 0 ? "sm" : 0}
      role="group"
      aria-label={`No. ${index + 1}`}
    >
      <Box flex={1} miw={0}>
        {children}
      </Box>
      {hasToolbar && (
        <Group gap={2} wrap="nowrap" pt={24}>
          {hasMoveUp && (
            <Small what="Move up" onClick={buttonsProps.onMoveUpItem} disabled={off}>
              <IconArrowUp size={15} />
            </Small>
          )}
          {hasMoveDown && (
            <Small what="Move down" onClick={buttonsProps.onMoveDownItem} disabled={off}>
              <IconArrowDown size={15} />
            </Small>
          )}
          {hasRemove && (
            <Small what="Remove" onClick={buttonsProps.onRemoveItem} disabled={off}>
              <IconTrash size={15} />
            </Small>
          )}
        </Group>
      )}
    </Group>
  );
}

function Small({
  what,
  onClick,
  disabled,
  children,
}: {
  what: string;
  onClick: () => void;
  disabled: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <Tooltip label={what}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={what}
        onClick={onClick}
        disabled={disabled}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function Add({ onClick, disabled }: { onClick: () => void; disabled: boolean | undefined }) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlus size={14} aria-hidden />}
      onClick={onClick}
      disabled={disabled}
      style={{ alignSelf: "flex-start" }}
    >
      Add
    </Button>
  );
}

/** A field whose name is chosen, too. */
export function Named(props: WrapIfAdditionalTemplateProps) {
  const { id, schema, label, disabled, readonly, onKeyRenameBlur, onRemoveProperty, children } =
    props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema))
    return <div className={props.classNames}>{children}</div>;
  const off = disabled || readonly;
  return (
    <Group wrap="nowrap" align="flex-end" gap="xs">
      <TextInput
        key={label}
        label="Name"
        id={`${id}-key`}
        defaultValue={label}
        disabled={off}
        onBlur={readonly ? undefined : onKeyRenameBlur}
        flex={1}
      />
      <Box flex={1} miw={0}>
        {children}
      </Box>
      <Box pb={4}>
        <Small what={`Remove ${label}`} onClick={onRemoveProperty} disabled={off}>
          <IconTrash size={15} />
        </Small>
      </Box>
    </Group>
  );
}

/** Inputs show their own faults; groups and lists have none, so theirs are shown here. */
export function Faults({ errors, schema }: FieldErrorProps) {
  const group = schema?.type === "object" || schema?.type === "array";
  if (!group || !errors?.length) return null;
  return (
    <Text size="sm" c="red" role="alert" mt={4}>
      {errors.join(" ")}
    </Text>
  );
}

const { BaseInputTemplate: Base } = generateTemplates();

/** An input that is empty, rather than one that nobody holds. */
export function Input(props: BaseInputTemplateProps) {
  return Base ? <Base {...props} value={props.value ?? ""} /> : null;
}

/** A list of words: each becomes a tag. */
export function Tags({ id, label, value, options, rawErrors, ...rest }: WidgetProps) {
  const { disabled, readonly, required, onChange } = rest;
  return (
    <TagsInput
      id={id}
      label={label}
      description={options.description as ReactNode}
      inputWrapperOrder={options.inputWrapperOrder as never}
      placeholder={(options.placeholder as string) ?? "Type and press Enter"}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
      disabled={disabled || readonly}
      required={required}
      error={rawErrors?.join(" ")}
      acceptValueOnBlur
      clearable
    />
  );
}

/** A text of many lines, in which a tab of the keyboard still leads on. */
export function LongText({ id, label, value, options, rawErrors, ...rest }: WidgetProps) {
  const { disabled, readonly, required, onChange, placeholder } = rest;
  return (
    <Textarea
      id={id}
      label={label}
      description={options.description as ReactNode}
      inputWrapperOrder={options.inputWrapperOrder as never}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={(event) =>
        onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value)
      }
      disabled={disabled || readonly}
      required={required}
      error={rawErrors?.join(" ")}
      autosize
      minRows={Number(options.minRows ?? 4)}
      maxRows={24}
      spellCheck={!options.mono}
      styles={options.mono ? { input: { fontFamily: "var(--mantine-font-family-monospace)" } } : {}}
    />
  );
}
