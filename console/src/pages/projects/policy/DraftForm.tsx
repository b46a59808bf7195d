/** A form for all that a layer of policy can limit. */
import {
  ActionIcon,
  Autocomplete,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { Choice, Draft } from "@/pages/projects/policy/draft";
import { useKnown } from "@/pages/projects/policy/known";
import {
  LIST_WORDS,
  LISTS,
  type ListName,
  operationWords,
  QUOTA_WORDS,
  QUOTAS,
} from "@/pages/projects/policy/words";

export function DraftForm({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const known = useKnown();
  return (
    <Stack gap="lg">
      {LISTS.map((name) => (
        <ListField
          key={name}
          name={name}
          known={known.lists[name]}
          value={draft.lists[name]}
          onChange={(choice) => onChange({ ...draft, lists: { ...draft.lists, [name]: choice } })}
        />
      ))}
      <Versions
        apps={known.apps.map((app) => app.slug)}
        value={draft.versions}
        onChange={(versions) => onChange({ ...draft, versions })}
      />
      <Fieldset legend="Quotas">
        <Text size="sm" c="dimmed" mb="sm">
          The most that may be in use at a time. Empty: no limit.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }}>
          {QUOTAS.map((name) => (
            <NumberInput
              key={name}
              label={QUOTA_WORDS[name]}
              min={0}
              allowDecimal={false}
              placeholder="No limit"
              value={draft.quotas[name] ?? ""}
              onChange={(value) =>
                onChange({
                  ...draft,
                  quotas: { ...draft.quotas, [name]: typeof value === "number" ? value : null },
                })
              }
            />
          ))}
        </SimpleGrid>
      </Fieldset>
    </Stack>
  );
}

function ListField({
  name,
  known,
  value,
  onChange,
}: {
  name: ListName;
  known: string[];
  value: Choice;
  onChange: (value: Choice) => void;
}) {
  const [title, about] = LIST_WORDS[name];
  const limited = value.allow !== null;
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {about}
          </Text>
          <SegmentedControl
            size="xs"
            aria-label={title}
            value={limited ? "some" : "all"}
            onChange={(chosen) => onChange({ ...value, allow: chosen === "all" ? null : [] })}
            data={[
              { value: "all", label: "Everything" },
              { value: "some", label: "Only what I list" },
            ]}
          />
        </Group>
        {limited && (
          <Values
            name={name}
            label="Only"
            known={known}
            value={value.allow ?? []}
            onChange={(allow) => onChange({ ...value, allow })}
          />
        )}
        <Values
          name={name}
          label="Never"
          known={known}
          value={value.deny}
          onChange={(deny) => onChange({ ...value, deny })}
        />
      </Stack>
    </Fieldset>
  );
}

function Values({
  name,
  label,
  known,
  value,
  onChange,
}: {
  name: ListName;
  label: string;
  known: string[];
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const common = { label, value, onChange, clearable: true };
  if (name === "operations")
    return (
      <MultiSelect
        {...common}
        searchable
        placeholder={value.length === 0 ? "Choose" : undefined}
        data={known.map((kind) => ({ value: kind, label: operationWords(kind) }))}
      />
    );
  return (
    <TagsInput
      {...common}
      data={known}
      placeholder={value.length === 0 ? "Choose, or type and press Enter" : undefined}
    />
  );
}

function Versions({
  apps,
  value,
  onChange,
}: {
  apps: string[];
  value: Draft["versions"];
  onChange: (value: Draft["versions"]) => void;
}) {
  const set = (key: number, more: Partial<Draft["versions"][number]>) =>
    onChange(value.map((each) => (each.key === key ? { ...each, ...more } : each)));
  const next = Math.max(-1, ...value.map((each) => each.key)) + 1;
  return (
    <Fieldset legend="Versions of apps">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          Which versions of an app may be used, as in <code>&gt;=1.2,&lt;2</code>.
        </Text>
        {value.map((each) => (
          <Group key={each.key} gap="xs" align="flex-end" wrap="nowrap" w="100%" maw={560}>
            <Autocomplete
              label="App"
              data={apps}
              value={each.app}
              onChange={(app) => set(each.key, { app })}
              style={{ flex: 1 }}
            />
            <TextInput
              label="Versions"
              placeholder=">=1.2,<2"
              value={each.constraint}
              onChange={(event) => set(each.key, { constraint: event.currentTarget.value })}
              style={{ flex: 1 }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove the limit on ${each.app || "this app"}`}
              onClick={() => onChange(value.filter((other) => other.key !== each.key))}
            >
              <IconTrash size={17} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...value, { key: next, app: "", constraint: "" }])}
        >
          Limit an app
        </Button>
      </Stack>
    </Fieldset>
  );
}
