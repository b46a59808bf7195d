/** More members of a component. */
import { Checkbox, Select, Text } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client } from "@/lib/api";
import { plural, sentence } from "@/lib/format";
import type { Component } from "@/lib/manifest";
import { useThisProject } from "@/lib/me";
import { countBy, type Instance, type Member, machinesFor, mayAdd } from "@/lib/members";
import { usePages } from "@/lib/pages";
import {
  isChosen,
  type Machines,
  MachinesField,
  NO_MACHINES,
} from "@/pages/projects/instances/members/Machines";

export function AddDialog({
  instance,
  components,
  members,
  onClose,
  onAsked,
}: {
  instance: Instance;
  components: Record<string, Component>;
  members: Member[];
  onClose: () => void;
  onAsked: (operation: string) => void;
}) {
  const live = countBy(members);
  const choices = Object.entries(components).map(([key, component]) => ({
    key,
    may: mayAdd(key, component, live[key] ?? 0),
  }));
  const [component, setComponent] = useState(choices.find(({ may }) => may.allowed)?.key ?? null);
  const [machines, setMachines] = useState<Machines>(NO_MACHINES);
  const [keep, setKeep] = useState(false);
  const free = useFree(component ?? "", instance, components, members);
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/instances/{instance}/members", {
        params: { path: { instance: instance.id } },
        body: {
          component: component ?? "",
          reason: reason || "add members",
          keep_allocations: keep,
          ...(machines.way === "held"
            ? { allocations: machines.held }
            : { count: machines.count, sku: machines.sku, region: machines.region }),
        },
        headers,
      }),
    {
      done: "Members are being added",
      onDone: (operation) => {
        onClose();
        onAsked(operation.id);
      },
      quiet: true,
    },
  );
  const size = machines.way === "held" ? machines.held.length : machines.count;
  const barred = choices.find(({ key }) => key === component)?.may ?? mayAdd("", undefined, 0);
  return (
    <Ask
      opened
      title="Add members"
      verb={size > 0 ? `Add ${plural(size, "member")}` : "Add members"}
      reason="optional"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      blocked={component === null || !barred.allowed || !isChosen(machines)}
      busy={act.isPending}
      refusal={act.error}
      size="lg"
    >
      <Select
        label="Component"
        description={component ? components[component]?.description : null}
        data={choices.map(({ key, may }) => ({
          value: key,
          label: may.allowed ? sentence(key) : `${sentence(key)}: ${may.why}`,
          disabled: !may.allowed,
        }))}
        value={component}
        onChange={setComponent}
        allowDeselect={false}
      />
      {component === null && (
        <Text size="sm" c="dimmed">
          The app offers this for none of its components, or all are full.
        </Text>
      )}
      <MachinesField value={machines} onChange={setMachines} free={free} />
      {machines.way === "new" && (
        <Checkbox
          label="Keep the machines"
          description="They stay yours when a member cannot join, or goes one day. Otherwise they are given back."
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
      )}
    </Ask>
  );
}

/** Machines of the project on which a member of the component could stand. */
export function useFree(
  component: string,
  instance: Instance,
  components: Record<string, Component>,
  members: Member[],
) {
  const project = useThisProject();
  const held = usePages(
    "/v1/projects/{project}/allocations",
    { project: project.id },
    { live: true, limit: 200 },
  );
  return machinesFor(component, held.items, instance, components, members);
}
