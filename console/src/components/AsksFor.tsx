/** What an app asks for: its powers, what people get, and every sentence of it for who wants to know. */
import { Accordion, List, Stack, Table, Text, ThemeIcon } from "@mantine/core";
import { IconShieldHalf } from "@tabler/icons-react";
import type { Schemas } from "@/lib/api";
import { abilities, powers } from "@/lib/declaration";
import { plural } from "@/lib/format";

export function AsksFor({ declaration }: { declaration: Schemas["DeclarationRead"] }) {
  const able = abilities(declaration);
  return (
    <Stack gap="md">
      <Powers declaration={declaration} />
      {able.length > 0 && (
        <div style={{ overflowX: "auto" }}>
          <Table verticalSpacing={6} horizontalSpacing={0} miw={420}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What people can do with it</Table.Th>
                <Table.Th>Who, by default</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {able.map((each) => (
                <Table.Tr key={each.key}>
                  <Table.Td>{each.words}</Table.Td>
                  <Table.Td c="dimmed">{each.roles}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <Accordion variant="contained">
        <Accordion.Item value="all">
          <Accordion.Control>
            <Text size="sm">
              All of it, word for word ({plural(declaration.sentences.length, "sentence")})
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <List size="sm" spacing={2} style={{ overflowWrap: "anywhere" }}>
              {declaration.sentences.map((each) => (
                <List.Item key={each}>{each}</List.Item>
              ))}
            </List>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}

/** What its operator may do, and no more. */
export function Powers({ declaration }: { declaration: Schemas["DeclarationRead"] }) {
  const found = powers(declaration);
  if (found.length === 0) return <Text>It asks for nothing beyond running its members.</Text>;
  return (
    <List
      size="sm"
      spacing={8}
      center
      styles={{ itemWrapper: { alignItems: "center" }, itemLabel: { lineHeight: 1.45 } }}
      icon={
        <ThemeIcon size={22} radius="xl" variant="light" color="gray">
          <IconShieldHalf size={14} aria-hidden />
        </ThemeIcon>
      }
    >
      {found.map((each) => (
        <List.Item key={each}>{each}.</List.Item>
      ))}
    </List>
  );
}
