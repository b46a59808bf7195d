/** An action of an app as a form: what it takes, then what came of it. */
import { Alert, Button, Group, Loader, Select, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Marked } from "@/components/Marked";
import { Result } from "@/components/Result";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import { ToTriage } from "@/components/WhyRefused";
import { SchemaForm } from "@/forms/SchemaForm";
import { useAct } from "@/lib/act";
import { ask, client, type Refusal, type Schemas } from "@/lib/api";
import { all, type May, no, YES } from "@/lib/can";
import { sentence } from "@/lib/format";
import { useMembers } from "@/lib/instance";
import type { Instance } from "@/lib/members";
import { isOver } from "@/lib/status";
import type { Action } from "@/lib/views";

type Operation = Schemas["OperationRead"];

/** Actions that end at once are answered at once. */
const WAIT = "wait=10";
const AT_WORK = ["running", "configuring", "upgrading", "rolling_back", "restarting", "rotating"];

export function mayRun(action: Action, instance: Pick<Instance, "status">): May {
  return all(
    action.allowed
      ? YES
      : no(
          `You need the permission ${action.permission} in this project; its admins can give you a role.`,
        ),
    AT_WORK.includes(instance.status)
      ? YES
      : no(`It is ${sentence(instance.status).toLowerCase()}: nobody is there to do this.`),
  );
}

export function RunAction({
  instance,
  action,
  begin,
  onClose,
}: {
  instance: Instance;
  action: Action;
  /** What the form begins with; `member` is a name. */
  begin?: { input: Record<string, unknown>; member: string | null };
  onClose?: () => void;
}) {
  const [input, setInput] = useState<unknown>(begin?.input ?? {});
  const [member, setMember] = useState<string | null>(null);
  const run = useAct(
    (given: { input: Record<string, unknown>; member: string | null }, headers) =>
      client.POST("/v1/instances/{instance}/actions/{action}", {
        params: {
          path: { instance: instance.id, action: action.name },
          header: { ...headers, prefer: WAIT },
        },
        body: given,
      }),
    { quiet: true },
  );
  if (run.data)
    return <Outcome asked={run.data} action={action} again={() => run.reset()} onClose={onClose} />;
  const able = mayRun(action, instance);
  const may = all(
    able,
    action.component && !member ? no(`Choose the ${action.component} first.`) : YES,
  );
  const submit = (value: unknown) => {
    if (may.allowed && !run.isPending)
      run.mutate({ input: (value ?? {}) as Record<string, unknown>, member });
  };
  const buttons = (
    <Group justify="flex-end" gap="xs" mt="md">
      {onClose && (
        <Button variant="default" onClick={onClose}>
          Not now
        </Button>
      )}
      {may.allowed ? (
        <Button
          type="submit"
          loading={run.isPending}
          onClick={action.input ? undefined : () => submit({})}
        >
          {action.title}
        </Button>
      ) : (
        <Verb may={may} onClick={() => undefined}>
          {action.title}
        </Verb>
      )}
    </Group>
  );
  return (
    <Stack gap="md">
      {action.description && (
        <Text c="dimmed" size="sm" component="div">
          <Marked text={action.description} />
        </Text>
      )}
      {action.component && (
        <MemberPick
          instance={instance.id}
          component={action.component}
          name={begin?.member ?? null}
          value={member}
          onChange={setMember}
        />
      )}
      {!able.allowed && (
        <Alert color="gray" icon={<IconLock aria-hidden />}>
          {able.why}
        </Alert>
      )}
      <Refused by={run.error} />
      {action.input ? (
        <SchemaForm
          id={action.name.replaceAll(".", "-")}
          schema={action.input}
          value={input}
          onChange={setInput}
          onSubmit={submit}
          faults={run.error?.faults ?? NONE}
          disabled={run.isPending || !able.allowed}
        >
          {buttons}
        </SchemaForm>
      ) : (
        buttons
      )}
    </Stack>
  );
}

const NONE: Refusal["faults"] = [];

/** Faults of fields stand at the fields; the rest is said here. */
function Refused({ by }: { by: Refusal | null }) {
  if (!by) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={by.title} role="alert">
      <Text size="sm">{by.message}</Text>
      <ToTriage refusal={by} />
    </Alert>
  );
}

function MemberPick({
  instance,
  component,
  name,
  value,
  onChange,
}: {
  instance: string;
  component: string;
  /** The one that is meant until another is chosen. */
  name: string | null;
  value: string | null;
  onChange: (member: string | null) => void;
}) {
  const members = useMembers(instance);
  const fitting = members.items.filter((each) => each.component === component);
  const meant =
    fitting.find((each) => each.name === name) ?? (fitting.length === 1 ? fitting[0] : undefined);
  useEffect(() => {
    if (value === null && meant) onChange(meant.id);
  }, [value, meant, onChange]);
  return (
    <Select
      label={sentence(component)}
      description={`The ${component} that this is about.`}
      required
      searchable
      data={fitting.map((each) => ({ value: each.id, label: each.name }))}
      value={value}
      onChange={onChange}
      placeholder={members.isPending ? "Loading" : "Choose one"}
      nothingFoundMessage={`There is no ${component}.`}
      maw={360}
    />
  );
}

function Outcome({
  asked,
  action,
  again,
  onClose,
}: {
  asked: Operation;
  action: Action;
  again: () => void;
  onClose?: () => void;
}) {
  const over = isOver(asked.status);
  const found = useQuery({
    ...ask("/v1/operations/{operation}", { operation: asked.id }),
    enabled: !over,
  });
  const operation = found.data ?? asked;
  return (
    <Stack gap="md" aria-live="polite">
      <Ended operation={operation} title={action.title}>
        <Result schema={action.output} value={operation.result} />
      </Ended>
      <Group justify="space-between" gap="xs">
        <To to={`/operations/${operation.id}`} size="sm">
          See every step
        </To>
        <Group gap="xs">
          <Button variant="default" onClick={again}>
            Once more
          </Button>
          {onClose && <Button onClick={onClose}>Done</Button>}
        </Group>
      </Group>
    </Stack>
  );
}

function Ended({
  operation,
  title,
  children,
}: {
  operation: Operation;
  title: string;
  children: ReactNode;
}) {
  if (operation.status === "succeeded")
    return (
      <>
        <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title={`${title}: done`}>
          {operation.message}
        </Alert>
        {children}
      </>
    );
  if (isOver(operation.status) || operation.status === "blocked")
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden />}
        title={`${title}: ${sentence(operation.status).toLowerCase()}`}
        role="alert"
      >
        {operation.error?.message ?? operation.message}
      </Alert>
    );
  return (
    <Alert color="harbour" icon={<IconInfoCircle aria-hidden />} title={`${title}: under way`}>
      <Group gap="xs">
        <Loader size="xs" />
        <Text size="sm">
          {operation.message ?? "It has been asked for. This page shows its end."}
        </Text>
      </Group>
    </Alert>
  );
}
