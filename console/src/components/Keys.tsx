/** A choice of permissions: in groups, by words and by key. */
import {
  Box,
  Button,
  Checkbox,
  Group,
  Input,
  ScrollArea,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { keyGroups, keyWords } from "@/lib/deeds";
import { plural } from "@/lib/format";

export function Keys({
  offered,
  value,
  onChange,
  label,
  description,
}: {
  offered: readonly string[];
  value: readonly string[];
  onChange: (value: string[]) => void;
  label: string;
  description?: string;
}) {
  const [words, setWords] = useState("");
  const groups = useMemo(() => keyGroups(offered), [offered]);
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (key: string) => {
    const text = `${key} ${keyWords(key)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const shown = groups
    .map(([title, keys]) => [title, keys.filter(fits)] as const)
    .filter(([, keys]) => keys.length > 0);
  const set = (keys: readonly string[], on: boolean) =>
    onChange(on ? [...new Set([...value, ...keys])] : value.filter((key) => !keys.includes(key)));
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <Box className="surface" mt={6} role="group" aria-label={label}>
        <Group p="xs" gap="xs" justify="space-between">
          <TextInput
            size="xs"
            w={{ base: "100%", xs: 260 }}
            aria-label="Filter permissions"
            placeholder="Filter permissions"
            leftSection={<IconSearch size={14} aria-hidden />}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Text size="xs" c="dimmed" role="status">
              {plural(value.length, "permission")} chosen
            </Text>
            {value.length > 0 && (
              <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
                None
              </Button>
            )}
          </Group>
        </Group>
        <ScrollArea.Autosize mah={300} type="auto" px="sm" pb="sm">
          <Stack gap="md">
            {shown.map(([title, keys]) => (
              <Stack key={title} gap={6}>
                <Whole title={title} keys={keys} value={value} onChange={set} />
                {keys.map((key) => (
                  <Checkbox
                    key={key}
                    size="xs"
                    ml="lg"
                    checked={value.includes(key)}
                    onChange={(event) => set([key], event.currentTarget.checked)}
                    label={keyWords(key)}
                    description={<code>{key}</code>}
                  />
                ))}
              </Stack>
            ))}
            {shown.length === 0 && (
              <Text size="sm" c="dimmed">
                No permission has “{words}” in it.
              </Text>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Box>
    </Input.Wrapper>
  );
}

function Whole({
  title,
  keys,
  value,
  onChange,
}: {
  title: string;
  keys: readonly string[];
  value: readonly string[];
  onChange: (keys: readonly string[], on: boolean) => void;
}) {
  const count = keys.filter((key) => value.includes(key)).length;
  return (
    <Checkbox
      size="xs"
      checked={count === keys.length}
      indeterminate={count > 0 && count < keys.length}
      onChange={(event) => onChange(keys, event.currentTarget.checked)}
      label={
        <Text span size="sm" fw={600}>
          {title}
        </Text>
      }
    />
  );
}
