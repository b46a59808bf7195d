/** One operation: what was asked, how far it is, what went wrong, and what can be done about it. */
import { Group, Stack, Text } from "@mantine/core";
import { IconListCheck, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Ago, Elapsed } from "@/components/Ago";
import { CopyCode } from "@/components/Copy";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { OperationProgress, OperationState } from "@/components/OperationState";
import { OperationTimeline } from "@/components/OperationTimeline";
import { type Crumb, Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { To } from "@/components/To";
import { Tree } from "@/components/Tree";
import { ask } from "@/lib/api";
import { kindWords } from "@/lib/format";
import { stream } from "@/lib/live";
import { useProject, useProjects } from "@/lib/me";
import { atWords, type Operation, type Step } from "@/lib/operations";
import { usePages } from "@/lib/pages";
import { projectPath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { isOver } from "@/lib/status";
import { Failure } from "@/pages/operations/Failure";
import { OperationVerbs } from "@/pages/operations/OperationVerbs";
import { Tasks } from "@/pages/operations/Tasks";

const NO_STEPS: readonly Step[] = [];

export function OperationPage() {
  const { operation: id = "" } = useParams({ strict: false });
  const found = useQuery(ask("/v1/operations/{operation}", { operation: id }));
  const watched = found.data?.instance_id;
  useEffect(() => {
    stream.watch(watched ? [watched] : []);
    return () => stream.watch([]);
  }, [watched]);
  return <Face of={found}>{(operation) => <Placed operation={operation} />}</Face>;
}

/** An address that names the operation alone leads to the one within its project. */
function Placed({ operation }: { operation: Operation }) {
  const here = useProject();
  const { projects } = useProjects();
  const search = useSearch({ strict: false });
  const project = projects.find(({ id }) => id === operation.project_id);
  if (project && here?.id !== project.id)
    return (
      <Navigate
        to={projectPath(project, "operations", operation.id)}
        search={search as never}
        replace
      />
    );
  return <Whole operation={operation} />;
}

function Whole({ operation }: { operation: Operation }) {
  const words = kindWords(operation.kind, operation.action);
  const title = operation.member_name ? `${words}: ${operation.member_name}` : words;
  return (
    <Page
      title={title}
      crumbs={useCrumbs(operation)}
      badges={<OperationState status={operation.status} />}
      lead={isOver(operation.status) || operation.error ? operation.message : atWords(operation)}
      actions={<OperationVerbs operation={operation} />}
    >
      <Failure operation={operation} />
      <About operation={operation} />
      <Progress operation={operation} />
      <Residue operation={operation} />
      <Outcome operation={operation} />
    </Page>
  );
}

function useCrumbs(operation: Operation): Crumb[] {
  const { projects } = useProjects();
  const project = projects.find(({ id }) => id === operation.project_id);
  const parent = { label: "The whole of it", to: `/operations/${operation.parent_id}` };
  const crumbs: Crumb[] = operation.parent_id ? [parent] : [];
  if (!project) return crumbs;
  const home = { label: project.name, to: projectPath(project) };
  if (!operation.instance_id) return [home, ...crumbs];
  const base = projectPath(project, "instances", operation.instance_id);
  return [
    home,
    { label: operation.instance_name ?? "Instance", to: base },
    { label: "Operations", to: `${base}/operations` },
    ...crumbs,
  ];
}

function About({ operation }: { operation: Operation }) {
  const over = isOver(operation.status);
  const facts: [string, React.ReactNode][] = [
    ["Instance", operation.instance_name],
    ...(operation.member_name ? ([["Member", operation.member_name]] as [string, string][]) : []),
    ["Asked for by", operation.requested_by_name],
    ["When", <Ago key="when" at={operation.created_at} />],
    [
      over ? "Took" : "Going on for",
      <Elapsed key="took" from={operation.created_at} until={operation.ended_at} />,
    ],
    ["Attempt", operation.attempt],
    ...(!over && operation.deadline
      ? ([["Has time until", <Ago key="deadline" at={operation.deadline} />]] as [
          string,
          React.ReactNode,
        ][])
      : []),
    ["Reason given", operation.reason],
    ...(operation.cancel_reason
      ? ([["Cancelled because", operation.cancel_reason]] as [string, string][])
      : []),
    [
      "Correlation",
      <Group key="correlation" gap="xs">
        <CopyCode text={operation.correlation_id} what="the correlation id" />
        <To to={`/triage/${operation.correlation_id}`} size="sm">
          Everything that came of it
        </To>
      </Group>,
    ],
  ];
  return (
    <Section>
      <Facts columns={3} of={facts} />
    </Section>
  );
}

/** Its own steps, and the members that it is done to. */
function Progress({ operation }: { operation: Operation }) {
  const steps = useQuery(ask("/v1/operations/{operation}/steps", { operation: operation.id }));
  // Many members, each with steps of its own: the whole may have none.
  const none = operation.children !== null && steps.data?.items.length === 0;
  return (
    <>
      {!none && (
        <Section title="Steps" lead={stepsLead(operation)}>
          <Face of={steps}>
            {({ items }) =>
              items.length > 0 ? (
                <OperationTimeline steps={items} />
              ) : (
                <Text c="dimmed" size="sm">
                  {isOver(operation.status)
                    ? "It ended without a step of its own."
                    : "No step was taken yet."}
                </Text>
              )
            }
          </Face>
        </Section>
      )}
      {operation.children && <Children operation={operation} />}
      {operation.instance_id && (
        <Tasks operation={operation} steps={steps.data?.items ?? NO_STEPS} />
      )}
    </>
  );
}

function stepsLead(operation: Operation): string | null {
  if (operation.direction === "undo") return "It is going back: what was done is taken back.";
  return operation.no_return && !isOver(operation.status)
    ? "It is past the point of no return: it can only go forward."
    : null;
}

const CHILDREN: Column<Operation>[] = [
  {
    id: "member",
    title: "Member",
    value: (row) => row.member_name,
    show: (row) => (
      <To to={`/operations/${row.id}`} fw={550}>
        {row.member_name ?? "Member"}
      </To>
    ),
  },
  {
    id: "kind",
    title: "What",
    value: (row) => kindWords(row.kind),
    show: (row) => kindWords(row.kind),
  },
  {
    id: "state",
    title: "State",
    value: (row) => row.status,
    show: (row) => <OperationState status={row.status} />,
  },
  {
    id: "message",
    title: "What it says",
    value: (row) => row.error?.message ?? row.message,
    show: (row) => (
      <Text size="sm" lineClamp={2} c={row.error ? undefined : "dimmed"} miw={180}>
        {row.error?.message ?? atWords(row) ?? "–"}
      </Text>
    ),
  },
  {
    id: "took",
    title: "Took",
    align: "right",
    show: (row) => <Elapsed from={row.created_at} until={row.ended_at} />,
  },
];

function Children({ operation }: { operation: Operation }) {
  const children = usePages(
    "/v1/operations/{operation}/children",
    { operation: operation.id },
    { limit: 200 },
  );
  return (
    <Section flush title="Members" lead="Each by an operation of its own.">
      <Stack gap={0}>
        <div style={{ padding: "0 16px 12px" }}>
          <OperationProgress of={operation} />
        </div>
        <ListFace
          of={children}
          empty={<Empty icon={IconUsersGroup} title="No member was begun yet" />}
        >
          {(items) => (
            <Rows
              rows={items}
              columns={CHILDREN}
              rowKey={({ id }) => id}
              noun="member"
              id="m"
              {...children}
            />
          )}
        </ListFace>
      </Stack>
    </Section>
  );
}

type Left = Operation["residue"][number];

const LEFT: Column<Left>[] = [
  { id: "what", title: "What is left", show: (row) => row.what, value: (row) => row.what },
  { id: "where", title: "Where", show: (row) => row.where ?? "–", value: (row) => row.where },
  { id: "why", title: "Why", show: (row) => row.why, value: (row) => row.why },
];

function Residue({ operation }: { operation: Operation }) {
  if (operation.residue.length === 0) return null;
  return (
    <Section
      flush
      title="Left behind"
      lead="What could not be taken back. Somebody has to look at it, or the machine has to be wiped."
    >
      <Rows
        rows={operation.residue}
        columns={LEFT}
        rowKey={({ what, where }) => `${what} ${where}`}
        noun="thing"
        id="r"
      />
    </Section>
  );
}

/** What an action was given, and what it answered. */
function Outcome({ operation }: { operation: Operation }) {
  const input = shown(operation.kind === "action" ? operation.input : null);
  const result = shown(operation.result);
  if (!input && !result) return null;
  return (
    <Section title="Asked and answered">
      <Stack>
        {input && <Part title="What was asked" of={input} />}
        {result && <Part title="What came back" of={result} />}
      </Stack>
    </Section>
  );
}

function shown(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  const facts = typeof value === "object" && !Array.isArray(value) ? value : { value };
  return Object.keys(facts).length > 0 ? (facts as Record<string, unknown>) : null;
}

function Part({ title, of }: { title: string; of: Record<string, unknown> }) {
  return (
    <div>
      <Group gap={6} mb={4}>
        <IconListCheck size={15} aria-hidden />
        <Text size="sm" fw={600}>
          {title}
        </Text>
      </Group>
      <Tree of={of} />
    </div>
  );
}
