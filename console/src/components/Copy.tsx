/** Text that is meant to be taken elsewhere. */
import { ActionIcon, Box, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : `Copy ${what}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={`Copy ${what}`}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A short piece of code with its copy button beside it. */
export function CopyCode({
  text,
  what,
  copies = text,
}: {
  text: string;
  what: string;
  /** What is taken, where less of it is shown. */
  copies?: string;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: "anywhere" }}>{text}</Code>
      <Copy text={copies} what={what} />
    </Group>
  );
}

/** Lines to paste. */
export function Lines({
  text,
  what,
  maxHeight,
}: {
  text: string;
  what: string;
  maxHeight?: number;
}) {
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={what}
        pr={40}
        style={{
          whiteSpace: "pre-wrap",
          overflowWrap: "anywhere",
          maxHeight,
          overflowY: maxHeight ? "auto" : undefined,
        }}
      >
        {text}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <Copy text={text} what={what} />
      </Box>
    </Box>
  );
}
