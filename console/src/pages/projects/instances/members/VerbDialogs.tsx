/** What is asked of members that are there: drain, resume, remove, replace. */
import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client } from "@/lib/api";
import { plural } from "@/lib/format";
import type { Component } from "@/lib/manifest";
import type { Instance, Member } from "@/lib/members";
import { useFree } from "@/pages/projects/instances/members/AddDialog";
import {
  type Emptying,
  EmptyingField,
  PATIENT,
  told,
} from "@/pages/projects/instances/members/fields";
import {
  isChosen,
  type Machines,
  MachinesField,
  NO_MACHINES,
} from "@/pages/projects/instances/members/Machines";

export interface DialogProps {
  instance: Instance;
  chosen: Member[];
  members: Member[];
  components: Record<string, Component>;
  onClose: () => void;
  onAsked: (operation: string) => void;
}

function named(chosen: readonly Member[]): string {
  const [first] = chosen;
  return chosen.length === 1 && first ? first.name : plural(chosen.length, "member");
}

function useDone({ onClose, onAsked }: DialogProps) {
  return (operation: { id: string }) => {
    onClose();
    onAsked(operation.id);
  };
}

export function DrainDialog(props: DialogProps) {
  const { instance, chosen, onClose } = props;
  const [emptying, setEmptying] = useState<Emptying>(PATIENT);
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/instances/{instance}/members/drain", {
        params: { path: { instance: instance.id } },
        body: { members: chosen.map(({ id }) => id), reason, ...told(emptying) },
        headers,
      }),
    { done: `Draining ${named(chosen)}`, onDone: useDone(props), quiet: true },
  );
  return (
    <Ask
      opened
      title={`Drain ${named(chosen)}`}
      verb="Drain"
      reason="required"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      busy={act.isPending}
      refusal={act.error}
    >
      <Text size="sm">
        {chosen.length === 1 ? "It takes" : "They take"} nothing new and{" "}
        {chosen.length === 1 ? "is" : "are"} emptied, and can be resumed later.
      </Text>
      <EmptyingField value={emptying} onChange={setEmptying} />
    </Ask>
  );
}

export function ResumeDialog(props: DialogProps) {
  const { instance, chosen, onClose } = props;
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/instances/{instance}/members/resume", {
        params: { path: { instance: instance.id } },
        body: { members: chosen.map(({ id }) => id), reason },
        headers,
      }),
    { done: `Resuming ${named(chosen)}`, onDone: useDone(props), quiet: true },
  );
  return (
    <Ask
      opened
      title={`Resume ${named(chosen)}`}
      verb="Resume"
      reason="required"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      busy={act.isPending}
      refusal={act.error}
    >
      <Text size="sm">{chosen.length === 1 ? "It works" : "They work"} again.</Text>
    </Ask>
  );
}

export function RemoveDialog(props: DialogProps) {
  const { instance, chosen, onClose } = props;
  const [emptying, setEmptying] = useState<Emptying>(PATIENT);
  const [lost, setLost] = useState(false);
  const [keep, setKeep] = useState(false);
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/instances/{instance}/members/remove", {
        params: { path: { instance: instance.id } },
        body: {
          members: chosen.map(({ id }) => id),
          reason,
          lost,
          keep_allocations: keep,
          ...told(emptying),
        },
        headers,
      }),
    { done: `Removing ${named(chosen)}`, onDone: useDone(props), quiet: true },
  );
  return (
    <Ask
      opened
      title={`Remove ${named(chosen)}`}
      verb="Remove"
      danger
      reason="required"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      busy={act.isPending}
      refusal={act.error}
    >
      <Text size="sm">
        {chosen.length === 1 ? "It is" : "They are"} emptied, taken out of the instance, and what
        the app put on the {chosen.length === 1 ? "machine" : "machines"} is cleaned away.
      </Text>
      <LostField one={chosen.length === 1} checked={lost} onChange={setLost} />
      {!lost && <EmptyingField value={emptying} onChange={setEmptying} />}
      {chosen.some(({ managed }) => managed) && <KeepField checked={keep} onChange={setKeep} />}
    </Ask>
  );
}

export function ReplaceDialog(props: DialogProps) {
  const { instance, chosen, members, components, onClose } = props;
  const [old] = chosen;
  const [emptying, setEmptying] = useState<Emptying>(PATIENT);
  const [machines, setMachines] = useState<Machines>(NO_MACHINES);
  const [lost, setLost] = useState(false);
  const [keep, setKeep] = useState(false);
  const free = useFree(old?.component ?? "", instance, components, members);
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/members/{member}/replace", {
        params: { path: { member: old?.id ?? "" } },
        body: {
          reason,
          lost,
          keep_allocations: keep,
          ...told(emptying),
          ...(machines.way === "held"
            ? { allocation: machines.held[0] ?? null }
            : { sku: machines.sku, region: machines.region }),
        },
        headers,
      }),
    { done: `Replacing ${named(chosen)}`, onDone: useDone(props), quiet: true },
  );
  return (
    <Ask
      opened
      title={`Replace ${named(chosen)}`}
      verb="Replace"
      reason="required"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      blocked={!isChosen(machines)}
      busy={act.isPending}
      refusal={act.error}
      size="lg"
    >
      <Text size="sm">
        A new member takes its place. It joins first and this one goes after, unless there is no
        room for both, or its machine is lost.
      </Text>
      <MachinesField value={machines} onChange={setMachines} free={free} one />
      <LostField one checked={lost} onChange={setLost} />
      {!lost && <EmptyingField value={emptying} onChange={setEmptying} />}
      {(old?.managed || machines.way === "new") && <KeepField checked={keep} onChange={setKeep} />}
    </Ask>
  );
}

function LostField({
  one,
  checked,
  onChange,
}: {
  one: boolean;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <Checkbox
      label={one ? "Its machine is lost" : "Their machines are lost"}
      description="Nothing is done there any more: it is not emptied, and nothing is cleaned."
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function KeepField({
  checked,
  onChange,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <Checkbox
      label="Keep the machines"
      description="Those that the platform allocated stay yours, and go on costing. Otherwise they are given back."
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
