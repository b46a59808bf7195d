/** The steps of an operation as they are taken: what was done, how long it took, what could not be. */
import "@/components/OperationTimeline.css";
import { Box, Group, Stack, Text, Timeline, Title, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconCheck,
  IconDoorExit,
  IconExclamationMark,
  IconX,
} from "@tabler/icons-react";
import type { CSSProperties } from "react";
import { Elapsed } from "@/components/Ago";
import { sentence } from "@/lib/format";
import { type Phase, phasesOf, type Step } from "@/lib/operations";

const LOOKS: Record<Step["status"], { colour: string; icon: typeof IconCheck | null }> = {
  running: { colour: "harbour", icon: null },
  succeeded: { colour: "teal", icon: IconCheck },
  failed: { colour: "red", icon: IconX },
  undoing: { colour: "harbour", icon: null },
  undone: { colour: "gray", icon: IconArrowBackUp },
  undo_failed: { colour: "red", icon: IconExclamationMark },
};

const SAID: Partial<Record<Step["status"], string>> = {
  running: "running",
  failed: "failed",
  undoing: "being taken back",
  undone: "taken back",
  undo_failed: "could not be taken back",
};

export function OperationTimeline({ steps }: { steps: readonly Step[] }) {
  const phases = phasesOf(steps);
  return (
    <Stack gap="lg">
      {phases.map((phase) => (
        <PhaseOf key={phase.phase} phase={phase} titled={phases.length > 1} />
      ))}
    </Stack>
  );
}

function PhaseOf({ phase, titled }: { phase: Phase; titled: boolean }) {
  return (
    <div>
      {titled && (
        <Title order={3} size="sm" c="dimmed" mb="xs">
          {phase.title}
        </Title>
      )}
      <Timeline bulletSize={22} lineWidth={2} active={-1} styles={{ itemBullet: { border: 0 } }}>
        {phase.steps.map((step) => (
          <Timeline.Item
            key={step.number}
            bullet={<Bullet step={step} />}
            title={<StepTitle step={step} />}
          >
            {step.message && (
              <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                {step.message}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </div>
  );
}

function Bullet({ step }: { step: Step }) {
  const { colour, icon: Mark } = LOOKS[step.status];
  return (
    <Box
      className={Mark ? "step" : "step step-busy"}
      style={{ "--step": `var(--mantine-color-${colour}-filled)` } as CSSProperties}
    >
      {Mark && <Mark size={13} stroke={3} aria-hidden />}
    </Box>
  );
}

function StepTitle({ step }: { step: Step }) {
  const said = SAID[step.status];
  return (
    <Group gap="2px 8px">
      <Text span size="sm" fw={550}>
        {sentence(step.name)}
      </Text>
      {said && (
        <Text span size="xs" fw={600} c={step.status.includes("failed") ? "red" : "dimmed"}>
          {said}
        </Text>
      )}
      {step.attempt > 1 && (
        <Text span size="xs" c="dimmed">
          attempt {step.attempt}
        </Text>
      )}
      <Text span size="xs" c="dimmed">
        <Elapsed from={step.started_at} until={step.finished_at} />
      </Text>
      {step.no_return && (
        <Tooltip label="Once this step is done, the operation can only go forward: it cannot be cancelled.">
          <Text span size="xs" fw={600} c="dimmed" tabIndex={0}>
            <IconDoorExit size={13} style={{ verticalAlign: -2 }} aria-hidden /> No way back after
            this
          </Text>
        </Tooltip>
      )}
    </Group>
  );
}
