/** A text that an app's people wrote, such as a runbook, made readable. */
import { Code, List, Stack, Table, Text, Title, type TitleOrder } from "@mantine/core";
import { Lines } from "@/components/Copy";
import { type Block, blocks, spans } from "@/lib/prose";

export function Prose({ text }: { text: string }) {
  return (
    <Stack gap="sm" maw={820}>
      {blocks(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text is drawn whole, its parts never move
        <Drawn key={at} block={block} />
      ))}
    </Stack>
  );
}

function Drawn({ block }: { block: Block }) {
  if (block.kind === "heading")
    return (
      <Title order={Math.min(block.level + 1, 6) as TitleOrder} fz={block.level > 2 ? "md" : "lg"}>
        <Line text={block.text} />
      </Title>
    );
  if (block.kind === "code") return <Lines text={block.text} what="these lines" />;
  if (block.kind === "list")
    return (
      <List type={block.ordered ? "ordered" : "unordered"} spacing={4}>
        {block.items.map((item) => (
          <List.Item key={item}>
            <Line text={item} />
          </List.Item>
        ))}
      </List>
    );
  if (block.kind === "table")
    return (
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {block.head.map((cell) => (
                <Table.Th key={cell}>
                  <Line text={cell} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {block.rows.map((row) => (
              <Table.Tr key={row.join("|")}>
                {row.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                  <Table.Td key={at}>
                    <Line text={cell} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    );
  return (
    <Text>
      <Line text={block.text} />
    </Text>
  );
}

/** One line of such a text. */
export function Line({ text }: { text: string }) {
  return spans(text).map((span, at) => {
    const key = `${at} ${span.text}`;
    if (span.kind === "code") return <Code key={key}>{span.text}</Code>;
    if (span.kind === "strong") return <b key={key}>{span.text}</b>;
    return span.text;
  });
}
