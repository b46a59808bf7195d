/** What an app answered: single values as facts, lists of things as tables, the rest as it is nested. */
import { Box, Stack, Text, Title } from "@mantine/core";
import { CopyCode } from "@/components/Copy";
import { Facts } from "@/components/Facts";
import { Rows } from "@/components/Rows";
import { Tree } from "@/components/Tree";
import { fieldWords, isNode, valueWords } from "@/lib/diff";
import { sentence } from "@/lib/format";
import type { Column } from "@/lib/rows";
import { cellWords } from "@/lib/views";

type Thing = Record<string, unknown>;

export function Result({ schema, value }: { schema: unknown; value: unknown }) {
  if (value === null || value === undefined) return null;
  if (!isNode(value)) return <CopyCode text={valueWords(value)} what="the answer" />;
  const fields = Object.entries(value);
  const plain = fields.filter(([, each]) => !isNode(each) && !isTable(each));
  const deep = fields.filter(([, each]) => isNode(each) || isTable(each));
  const label = (name: string) => sentence(fieldWords(schema, [name]));
  return (
    <Stack gap="md">
      {plain.length > 0 && (
        <Facts
          columns={3}
          of={plain.map(([name, each]) => [
            label(name),
            Array.isArray(each) ? valueWords(each) : cellWords("text", each),
          ])}
        />
      )}
      {deep.map(([name, each]) => (
        <div key={name}>
          <Title order={3} mb="xs">
            {label(name)}
          </Title>
          {isTable(each) ? <Things of={each} name={name} /> : <Tree of={each as Thing} />}
        </div>
      ))}
    </Stack>
  );
}

function isTable(value: unknown): value is Thing[] {
  return Array.isArray(value) && value.length > 0 && value.every(isNode);
}

function Things({ of, name }: { of: Thing[]; name: string }) {
  const names = [...new Set(of.flatMap((each) => Object.keys(each)))];
  const columns: Column<Thing>[] = names.map((each) => ({
    id: each,
    title: sentence(each),
    show: (row) => (
      <Text size="sm" truncate maw={280}>
        {cellWords("text", row[each])}
      </Text>
    ),
    value: (row) => {
      const value = row[each];
      return typeof value === "number" ? value : cellWords("text", value);
    },
  }));
  return (
    <Box className="surface" style={{ overflow: "hidden" }}>
      <Rows
        rows={of}
        columns={columns}
        rowKey={(row) => String(of.indexOf(row))}
        noun="row"
        id={`${name}-`}
        height={420}
      />
    </Box>
  );
}
