/** The state of a piece of work, and how far it is. */
import { Group, Progress, Text } from "@mantine/core";
import { Status } from "@/components/Status";
import { type Operation, progressOf, type Step, stateOf } from "@/lib/operations";
import { COLOURS, tone } from "@/lib/status";

export function OperationState({
  status,
  why,
}: {
  status: Operation["status"] | Step["status"];
  why?: string | null;
}) {
  return <Status {...stateOf(status)} why={why} />;
}

/** A bar with words; nothing where nobody can tell how far it is. */
export function OperationProgress({
  of,
}: {
  of: Pick<Operation, "children" | "progress" | "status">;
}) {
  const progress = progressOf(of);
  if (!progress) return null;
  return (
    <Group gap="sm" wrap="nowrap">
      <Progress
        value={(100 * progress.done) / progress.total}
        color={COLOURS[tone(stateOf(of.status).word)]}
        size="sm"
        flex={1}
        miw={60}
        aria-label={progress.words}
      />
      <Text size="xs" c="dimmed" className="numbers" style={{ flexShrink: 0 }}>
        {progress.words}
      </Text>
    </Group>
  );
}
