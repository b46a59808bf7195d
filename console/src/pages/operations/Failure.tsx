/** Why an operation stands still, what that means, and what can be done about it. */
import { Alert, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconClockPause, IconHandStop } from "@tabler/icons-react";
import { Lines } from "@/components/Copy";
import { type Operation, recoveryOf } from "@/lib/operations";
import { VerbSentences } from "@/pages/operations/OperationVerbs";

const LOOKS = {
  waiting: { colour: "yellow", icon: IconClockPause },
  blocked: { colour: "yellow", icon: IconHandStop },
  other: { colour: "red", icon: IconAlertTriangle },
};

export function Failure({ operation }: { operation: Operation }) {
  const { error, status } = operation;
  if (!error) return null;
  const look = LOOKS[status === "waiting" || status === "blocked" ? status : "other"];
  const recovery = recoveryOf(operation);
  return (
    <Alert
      color={look.colour}
      icon={<look.icon aria-hidden />}
      title={recovery?.title ?? "It failed"}
      role="status"
    >
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {error.message} <Code>{error.code}</Code>
        </Text>
        {error.log && error.log.length > 0 && (
          <Lines text={error.log.join("\n")} what="the last lines of the log" maxHeight={240} />
        )}
        {recovery && <Text size="sm">{recovery.words}</Text>}
        <VerbSentences operation={operation} />
      </Stack>
    </Alert>
  );
}
