/** The home of a project: what runs in it, how it fares, and what is going on. */
import { Anchor, Group, Stack, Text } from "@mantine/core";
import { IconAnchor } from "@tabler/icons-react";
import { useEffect, useMemo } from "react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { OperationProgress, OperationState } from "@/components/OperationState";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To, ToButton } from "@/components/To";
import { kindWords, sentence } from "@/lib/format";
import { stream } from "@/lib/live";
import { useCan, useThisProject } from "@/lib/me";
import type { Instance } from "@/lib/members";
import { type Operation, openOnes } from "@/lib/operations";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

const MOST_WATCHED = 4;

export function InstancesPage() {
  const project = useThisProject();
  const can = useCan();
  const path = usePath();
  const [gone, setGone] = useSearchParam("gone");
  const instances = usePages(
    "/v1/projects/{project}/instances",
    { project: project.id },
    { limit: 100, ...(gone ? { deleted: true } : {}) },
  );
  const browse = can("catalog.app.read").allowed && (
    <ToButton to={path("catalog")}>Browse the catalog</ToButton>
  );
  return (
    <Page
      title="Instances"
      lead={`The apps that run in ${project.name}.`}
      actions={instances.items.length > 0 && browse}
    >
      <Section flush>
        <ListFace
          of={instances}
          empty={
            <Empty icon={IconAnchor} title="Nothing runs here yet" action={browse}>
              Choose an app from the catalog and deploy it onto machines of this project.
            </Empty>
          }
        >
          {(items) => <Table instances={items} more={instances} />}
        </ListFace>
      </Section>
      <Anchor component="button" size="sm" ta="left" onClick={() => setGone(gone ? "" : "1")}>
        {gone ? "Leave out those that are gone" : "Show those that are gone too"}
      </Anchor>
    </Page>
  );
}

function Table({
  instances,
  more,
}: {
  instances: Instance[];
  more: { hasMore: boolean; isLoadingMore: boolean; loadMore: () => void };
}) {
  const path = usePath();
  const names = useAppNames();
  const going = useGoing();
  const columns = useMemo<Column<Instance>[]>(
    () => [
      {
        id: "name",
        title: "Name",
        value: (row) => row.name,
        show: (row) => (
          <To to={path("instances", row.id)} fw={600}>
            {row.name}
          </To>
        ),
      },
      {
        id: "app",
        title: "App",
        value: (row) => names(row),
        show: (row) => (
          <>
            <Text size="sm">{names(row)}</Text>
            <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {row.app_version}
              {row.runtime_version && ` · runs ${row.runtime_version}`}
            </Text>
          </>
        ),
      },
      {
        id: "state",
        title: "State",
        value: (row) => `${row.status} ${row.health}`,
        show: (row) => <State row={row} />,
      },
      {
        id: "members",
        title: "Members",
        align: "right",
        value: (row) => readyOf(row)[0],
        show: (row) => <span>{readyOf(row).join(" of ")} ready</span>,
      },
      {
        id: "now",
        title: "Latest change",
        show: (row) => <Now row={row} operation={going.get(row.id)} />,
      },
    ],
    [path, names, going],
  );
  return (
    <Rows rows={instances} columns={columns} rowKey={({ id }) => id} noun="instance" {...more} />
  );
}

function readyOf({ components }: Instance): [ready: number, desired: number] {
  return [
    components.reduce((sum, each) => sum + each.ready, 0),
    components.reduce((sum, each) => sum + each.desired, 0),
  ];
}

function State({ row }: { row: Instance }) {
  const unwell = row.status === "running" && ["degraded", "unhealthy"].includes(row.health);
  const absent = row.conditions.find(({ type, status }) => status && type === "controller_absent");
  const why = row.status_reason ?? (unwell ? row.health_reasons[0] : null) ?? absent?.reason;
  return (
    <Stack gap={2} maw={320}>
      <Group gap={6} wrap="nowrap">
        <Status word={row.status} />
        {unwell && <Status word={row.health} />}
      </Group>
      {why && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {why}
        </Text>
      )}
    </Stack>
  );
}

function Now({ row, operation }: { row: Instance; operation: Operation | undefined }) {
  if (operation)
    return (
      <Stack gap={4} miw={200}>
        <Group gap={6} wrap="nowrap">
          <To to={`/operations/${operation.id}`} size="sm">
            {kindWords(operation.kind, operation.action)}
          </To>
          <OperationState status={operation.status} why={operation.message} />
        </Group>
        <OperationProgress of={operation} />
      </Stack>
    );
  const last = row.last_operation;
  if (!last) return <Text c="dimmed">–</Text>;
  return (
    <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
      {kindWords(last.kind)}
      {last.status === "succeeded" ? ", " : ` ${sentence(last.status).toLowerCase()} `}
      <Ago at={last.ended_at ?? last.created_at} />
    </Text>
  );
}

/** Names of apps in one question for all rows. */
function useAppNames(): (row: Instance) => string {
  const apps = usePages("/v1/apps", {}, { limit: 200 });
  return useMemo(() => {
    const names = new Map(apps.items.map((app) => [app.id, app.name]));
    return (row) => names.get(row.app_id) ?? sentence(row.app_slug);
  }, [apps.items]);
}

/** What goes on, by instance. Steps of the first few are heard of as they are taken. */
function useGoing(): Map<string, Operation> {
  const project = useThisProject();
  const latest = usePages("/v1/operations", {}, { project: project.id, limit: 100 });
  const going = useMemo(() => {
    const found = new Map<string, Operation>();
    for (const each of openOnes(latest.items))
      if (each.instance_id && !found.has(each.instance_id)) found.set(each.instance_id, each);
    return found;
  }, [latest.items]);
  const watched = [...going.keys()].slice(0, MOST_WATCHED).join();
  useEffect(() => {
    stream.watch(watched ? watched.split(",") : []);
    return () => stream.watch([]);
  }, [watched]);
  return going;
}
