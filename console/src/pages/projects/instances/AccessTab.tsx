/** How people get onto an instance: what to type, and where it is. */
import { SimpleGrid, Stack, Text } from "@mantine/core";
import { IconDoorEnter } from "@tabler/icons-react";
import { CopyCode, Lines } from "@/components/Copy";
import { Empty } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Marked } from "@/components/Marked";
import { Section } from "@/components/Section";
import { Tree } from "@/components/Tree";
import { type Block, blocksOf } from "@/lib/access";
import { sentence } from "@/lib/format";
import { useThisInstance } from "@/lib/instance";

export function AccessTab() {
  const instance = useThisInstance();
  const blocks = blocksOf(instance.access ?? "");
  const endpoints = Object.entries(instance.endpoints);
  if (blocks.length === 0 && endpoints.length === 0)
    return (
      <Empty icon={IconDoorEnter} title="There is no way in yet">
        {instance.status === "running"
          ? "The app has not said how it is reached."
          : "How to reach it is shown here once it runs."}
      </Empty>
    );
  return (
    <Stack gap="lg">
      {blocks.length > 0 && (
        <Section title="How to use it" lead="Type these lines, or copy them.">
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="lg">
            {blocks.map((block) => (
              <Part key={`${block.words} ${block.commands.join()}`} block={block} />
            ))}
          </SimpleGrid>
        </Section>
      )}
      {endpoints.length > 0 && (
        <Section title="Where it is">
          <Facts
            of={endpoints.map(([name, value]) => [
              sentence(name),
              <Place key={name} of={value} name={name} />,
            ])}
          />
        </Section>
      )}
    </Stack>
  );
}

function Part({ block }: { block: Block }) {
  return (
    <Stack gap={6}>
      {block.words && (
        <Text size="sm" component="div">
          <Marked text={block.words} />
        </Text>
      )}
      {block.commands.map((command) => (
        <Lines key={command} text={command} what="this line" />
      ))}
    </Stack>
  );
}

function Place({ of, name }: { of: unknown; name: string }) {
  if (typeof of === "object" && of !== null) return <Tree of={of as Record<string, unknown>} />;
  return <CopyCode text={String(of)} what={sentence(name).toLowerCase()} />;
}
