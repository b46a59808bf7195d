/** What a layer limits, in words; and what all layers together leave of each choice. */
import { Group, Stack, Table, Text } from "@mantine/core";
import type { Schemas } from "@/lib/api";
import { type Draft, draftOf } from "@/pages/projects/policy/draft";
import {
  LIST_WORDS,
  LISTS,
  type ListName,
  layerWords,
  QUOTA_WORDS,
  QUOTAS,
  valueWords,
} from "@/pages/projects/policy/words";

interface Row {
  what: string;
  lines: { words: string; layers: string[] }[];
}

export function LayerLimits({ document }: { document: Schemas["DocumentRead"] }) {
  return <Limits rows={rowsOf(draftOf(document))} />;
}

export function EffectiveLimits({ of }: { of: Schemas["EffectivePolicyRead"] }) {
  return <Limits rows={effectiveRows(of)} layers />;
}

function Limits({ rows, layers = false }: { rows: Row[]; layers?: boolean }) {
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing is limited.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table layout="fixed" horizontalSpacing={0}>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.what}>
              <Table.Th scope="row" w={180} style={{ verticalAlign: "top" }} fw={600}>
                <Text size="sm" fw={600}>
                  {row.what}
                </Text>
              </Table.Th>
              <Table.Td>
                <Stack gap={4}>
                  {row.lines.map((line) => (
                    <Group key={line.words} gap={8}>
                      <Text size="sm">{line.words}</Text>
                      {layers && line.layers.length > 0 && (
                        <Text size="xs" c="dimmed">
                          by {line.layers.map(layerWords).join(" and ")}
                        </Text>
                      )}
                    </Group>
                  ))}
                </Stack>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function listed(name: ListName, values: readonly string[]): string {
  return values.map((value) => valueWords(name, value)).join(", ");
}

function rowsOf(draft: Draft): Row[] {
  const lists = LISTS.map((name) => {
    const { allow, deny } = draft.lists[name];
    const lines = [];
    if (allow !== null)
      lines.push(allow.length > 0 ? `Only ${listed(name, allow)}` : "Nothing at all");
    if (deny.length > 0) lines.push(`Not ${listed(name, deny)}`);
    return { what: LIST_WORDS[name][0], lines: lines.map(plain) };
  });
  const quotas = QUOTAS.filter((name) => draft.quotas[name] !== null).map((name) =>
    plain(`${QUOTA_WORDS[name]}: ${draft.quotas[name]} at most`),
  );
  const versions = draft.versions.map((each) => plain(`${each.app}: ${each.constraint}`));
  return [
    ...lists,
    { what: "Versions of apps", lines: versions },
    { what: "Quotas", lines: quotas },
  ].filter((row) => row.lines.length > 0);
}

function plain(words: string): Row["lines"][number] {
  return { words, layers: [] };
}

function effectiveRows(of: Schemas["EffectivePolicyRead"]): Row[] {
  const lists = LISTS.map((name) => {
    const choice = of[name];
    const lines: Row["lines"] = [];
    if (choice?.allow)
      lines.push({
        words: choice.allow.length > 0 ? `Only ${listed(name, choice.allow)}` : "Nothing at all",
        layers: choice.allowed_by,
      });
    for (const denied of choice?.deny ?? [])
      lines.push({ words: `Not ${valueWords(name, denied.value)}`, layers: [denied.layer] });
    return { what: LIST_WORDS[name][0], lines };
  });
  const versions = Object.entries(of.versions).flatMap(([app, found]) =>
    found.map((each) => ({ words: `${app}: ${each.constraint}`, layers: [each.layer] })),
  );
  const quotas = QUOTAS.flatMap((name) => {
    const quota = of.quotas[name];
    return quota
      ? [{ words: `${QUOTA_WORDS[name]}: ${quota.limit} at most`, layers: [quota.layer] }]
      : [];
  });
  const rows: Row[] = [
    ...lists,
    { what: "Versions of apps", lines: versions },
    { what: "Quotas", lines: quotas },
  ];
  return rows.filter((row) => row.lines.length > 0);
}
