/** The end of an instance: what goes and what stays, then how it went and what was left behind. */
import { Alert, Checkbox, Group, Loader, Stack, Table, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { OperationProgress, OperationState } from "@/components/OperationState";
import { Section } from "@/components/Section";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import { ask, client, type Schemas } from "@/lib/api";
import type { May } from "@/lib/can";
import type { Instance } from "@/lib/members";
import { useSearchParam } from "@/lib/search";
import { isOver } from "@/lib/status";
import { PlanDialog } from "@/pages/projects/instances/PlanDialog";

const KIND = "instance.decommission";

export function Farewell({ instance, may }: { instance: Instance; may: May }) {
  const [open, setOpen] = useSearchParam("do");
  const last = instance.last_operation?.kind === KIND ? instance.last_operation.id : null;
  return (
    <Section
      title="Decommission"
      lead="Everything of it is taken off the machines for good. There is no way back."
      actions={
        instance.deleted_at === null && (
          <Verb color="red" variant="light" may={may} onClick={() => setOpen(KIND)}>
            Decommission
          </Verb>
        )
      }
    >
      {last ? <Going operation={last} /> : <What />}
      {open === KIND && may.allowed && <Dialog instance={instance} onClose={() => setOpen("")} />}
    </Section>
  );
}

function What() {
  return (
    <Text size="sm" c="dimmed" maw={720}>
      Members are removed one component after the other, then every machine is searched for what is
      left: processes, packages, files, people, keys. You get a report of it. What happened stays in
      the record.
    </Text>
  );
}

function Dialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const [keep, setKeep] = useState(false);
  const [preempt, setPreempt] = useState(false);
  const busy = instance.last_operation && !isOver(instance.last_operation.status);
  const choice = { keep_allocations: keep, ...(preempt ? { preempt } : {}) };
  return (
    <PlanDialog
      instance={instance}
      title={`Decommission ${instance.name}`}
      verb="Decommission"
      wish={{ kind: KIND, ...choice }}
      danger
      confirm={() => instance.name}
      onClose={onClose}
      onDone={() => undefined}
      apply={({ plan, reason }, headers) =>
        client.POST("/v1/instances/{instance}/decommission", {
          params: { path: { instance: instance.id } },
          body: { plan, reason, preempt, keep_allocations: keep },
          headers,
        })
      }
    >
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="This cannot be undone">
        All members and everything that the app keeps on their machines are removed.
      </Alert>
      <Stack gap="xs">
        <Checkbox
          label="Keep the machines"
          description="Those that the platform allocated for it are given back otherwise. Machines that you held before are kept in any case."
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
        {busy && (
          <Checkbox
            label="Do not wait for what is under way: have it cancelled"
            checked={preempt}
            onChange={(event) => setPreempt(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </PlanDialog>
  );
}

function Going({ operation }: { operation: string }) {
  const found = useQuery(ask("/v1/operations/{operation}", { operation }));
  if (!found.data) return <Loader size="sm" />;
  const { status, message, error, residue } = found.data;
  return (
    <Stack gap="md" aria-live="polite">
      <Group gap="sm">
        <OperationState status={status} />
        <Text size="sm">{error?.message ?? message}</Text>
        <To to={`/operations/${operation}`} size="sm">
          See every step
        </To>
      </Group>
      {!isOver(status) && <OperationProgress of={found.data} />}
      {isOver(status) && <Residue of={residue} clean={status === "succeeded"} />}
    </Stack>
  );
}

function Residue({ of, clean }: { of: Schemas["ResidueRead"][]; clean: boolean }) {
  if (of.length === 0)
    return clean ? (
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="Nothing was left behind">
        Every machine was searched, and is as it was before.
      </Alert>
    ) : null;
  return (
    <div style={{ overflowX: "auto" }}>
      <Table miw={520} horizontalSpacing={0}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What was left behind</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th>Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map((each) => (
            <Table.Tr key={`${each.what} ${each.where}`}>
              <Table.Td>{each.what}</Table.Td>
              <Table.Td>{each.where ?? "–"}</Table.Td>
              <Table.Td>{each.why}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
