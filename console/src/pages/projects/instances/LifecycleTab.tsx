/** What an instance lives through: stop, start, restart, repair, new credentials, and its end. */
import { Box, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import {
  type Icon,
  IconKey,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconTool,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { Section } from "@/components/Section";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client } from "@/lib/api";
import { type Change, mayChange } from "@/lib/changes";
import { useThisInstance } from "@/lib/instance";
import { useCan } from "@/lib/me";
import type { Instance } from "@/lib/members";
import { useSearchParam } from "@/lib/search";
import { isOver } from "@/lib/status";
import { Farewell } from "@/pages/projects/instances/Farewell";
import { PlanDialog } from "@/pages/projects/instances/PlanDialog";

type Planned = "instance.stop" | "instance.start" | "instance.restart";
type Unplanned = "instance.repair" | "credential.rotate";
interface Entry {
  kind: Planned | Unplanned;
  label: string;
  icon: Icon;
  does: string;
}

const VERBS: Entry[] = [
  {
    kind: "instance.restart",
    label: "Restart",
    icon: IconRefresh,
    does: "Every member is stopped and started again, with the configuration that it has.",
  },
  {
    kind: "instance.stop",
    label: "Stop",
    icon: IconPlayerStop,
    does: "Nothing runs any more. Machines and data stay, and machines go on costing.",
  },
  {
    kind: "instance.start",
    label: "Start",
    icon: IconPlayerPlay,
    does: "Everything that was stopped runs again, as it was.",
  },
  {
    kind: "instance.repair",
    label: "Repair",
    icon: IconTool,
    does: "The app looks at every member and puts right what is not as it should be. What is well is left alone.",
  },
  {
    kind: "credential.rotate",
    label: "Rotate credentials",
    icon: IconKey,
    does: "The secrets that members know each other by are made anew. Old ones are worth nothing afterwards.",
  },
];

export function LifecycleTab() {
  const instance = useThisInstance();
  const can = useCan();
  const [open, setOpen] = useSearchParam("do");
  const chosen = VERBS.find((verb) => verb.kind === open);
  const close = () => setOpen("");
  const may = (kind: Change) => mayChange(kind, instance, can);
  const offered = VERBS.filter(({ kind }) => isFitting(kind, instance));
  return (
    <Stack gap="lg">
      {instance.deleted_at === null && (
        <Section title="Day to day" flush>
          <Box component="ul" m={0} p={0} style={{ listStyle: "none" }}>
            {offered.map(({ kind, label, icon: Shape, does }) => (
              <Group
                key={kind}
                component="li"
                className="ruled"
                px="md"
                py="sm"
                justify="space-between"
                gap="md"
              >
                <Group gap="md" wrap="nowrap" flex={1} miw={240} align="flex-start">
                  <Shape
                    size={20}
                    stroke={1.6}
                    aria-hidden
                    style={{ flexShrink: 0, marginTop: 2 }}
                  />
                  <div>
                    <Title order={3}>{label}</Title>
                    <Text size="sm" c="dimmed" maw={640}>
                      {does}
                    </Text>
                  </div>
                </Group>
                <Verb variant="default" may={may(kind)} onClick={() => setOpen(kind)}>
                  {label}
                </Verb>
              </Group>
            ))}
          </Box>
        </Section>
      )}
      <Farewell instance={instance} may={may("instance.decommission")} />
      {chosen && may(chosen.kind).allowed && (
        <Dialog instance={instance} verb={chosen} onClose={close} />
      )}
    </Stack>
  );
}

/** Of start and stop, the one that makes sense is shown; a failed one can be asked for either. */
function isFitting(kind: Change, instance: Instance): boolean {
  if (kind === "instance.start") return ["stopped", "starting", "failed"].includes(instance.status);
  if (kind === "instance.stop") return instance.status !== "stopped";
  return true;
}

function Dialog({
  instance,
  verb,
  onClose,
}: {
  instance: Instance;
  verb: Entry;
  onClose: () => void;
}) {
  const { kind } = verb;
  return kind === "instance.repair" || kind === "credential.rotate" ? (
    <AskFor instance={instance} verb={verb} kind={kind} onClose={onClose} />
  ) : (
    <PlanFor instance={instance} verb={verb} kind={kind} onClose={onClose} />
  );
}

interface DialogProps<K> {
  instance: Instance;
  verb: Entry;
  kind: K;
  onClose: () => void;
}

function PlanFor({ instance, verb, kind, onClose }: DialogProps<Planned>) {
  const [preempt, setPreempt] = useState(false);
  const busy = instance.last_operation && !isOver(instance.last_operation.status);
  const first = kind === "instance.stop" && preempt ? { preempt } : {};
  return (
    <PlanDialog
      instance={instance}
      title={`${verb.label} ${instance.name}`}
      verb={verb.label}
      wish={{ kind, ...first }}
      danger={kind === "instance.stop"}
      onClose={onClose}
      apply={({ plan, reason }, headers) => {
        const params = { path: { instance: instance.id } };
        const body = { plan, reason };
        if (kind === "instance.stop")
          return client.POST("/v1/instances/{instance}/stop", {
            params,
            body: { ...body, preempt },
            headers,
          });
        return kind === "instance.start"
          ? client.POST("/v1/instances/{instance}/start", { params, body, headers })
          : client.POST("/v1/instances/{instance}/restart", { params, body, headers });
      }}
    >
      <Text size="sm">{verb.does}</Text>
      {kind === "instance.stop" && busy && (
        <Checkbox
          label="Do not wait for what is under way: have it cancelled"
          checked={preempt}
          onChange={(event) => setPreempt(event.currentTarget.checked)}
        />
      )}
    </PlanDialog>
  );
}

function AskFor({ instance, verb, kind, onClose }: DialogProps<Unplanned>) {
  const navigate = useNavigate();
  const act = useAct(
    (reason: string, headers) => {
      const params = { path: { instance: instance.id } };
      return kind === "instance.repair"
        ? client.POST("/v1/instances/{instance}/repair", {
            params,
            body: { reason, members: [] },
            headers,
          })
        : client.POST("/v1/instances/{instance}/rotate", { params, body: { reason }, headers });
    },
    {
      quiet: true,
      done: `${verb.label}: asked for`,
      onDone: (operation) =>
        void navigate({ to: "/operations/$operation", params: { operation: operation.id } }),
    },
  );
  return (
    <Ask
      opened
      title={`${verb.label} ${instance.name}`}
      verb={verb.label}
      reason="required"
      busy={act.isPending}
      refusal={act.error}
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
    >
      <Text size="sm">{verb.does}</Text>
    </Ask>
  );
}
