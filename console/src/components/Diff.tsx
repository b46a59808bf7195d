/** What changes, field by field: what it is, what it becomes, and what that does. */
import { Box, Code, Group, Stack, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { type Difference, differences, fieldWords, valueWords } from "@/lib/diff";

export function Diff({
  before,
  after,
  schema,
  note,
}: {
  before: unknown;
  after: unknown;
  /** Gives the fields their names. */
  schema?: unknown;
  /** What stands beside a field. */
  note?: (change: Difference) => ReactNode;
}) {
  const changes = differences(before, after);
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing differs.
      </Text>
    );
  return (
    <Stack gap={0} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
      {changes.map((change) => (
        <Box component="li" key={change.path.join("/")} py="xs" className="ruled">
          <Group justify="space-between" gap="xs" mb={4}>
            <Text size="sm" fw={600}>
              {fieldWords(schema, change.path) || "Everything"}
            </Text>
            {note?.(change)}
          </Group>
          <Group gap="xs" align="center">
            <Value value={change.before} gone />
            <IconArrowRight size={14} aria-label="becomes" style={{ flexShrink: 0 }} />
            <Value value={change.after} />
          </Group>
        </Box>
      ))}
    </Stack>
  );
}

function Value({ value, gone = false }: { value: unknown; gone?: boolean }) {
  const words = valueWords(value);
  if (value === undefined || value === "" || words === "none")
    return (
      <Text size="sm" c="dimmed" fs="italic">
        {words}
      </Text>
    );
  return (
    <Code
      component={gone ? "del" : "code"}
      c={gone ? "dimmed" : undefined}
      style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
    >
      {words}
    </Code>
  );
}
