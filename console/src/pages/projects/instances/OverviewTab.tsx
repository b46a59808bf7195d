/** An instance at a glance: what needs somebody, what goes on, what it is made of. */
import { Alert, Grid, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Ago, Elapsed } from "@/components/Ago";
import { Failed, Loading } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { OperationProgress, OperationState } from "@/components/OperationState";
import { OperationTimeline } from "@/components/OperationTimeline";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { type Shape, ShapeChoice, TopologyOf } from "@/components/Topology";
import { ask } from "@/lib/api";
import { costOf } from "@/lib/cost";
import { kindWords, plural, sentence } from "@/lib/format";
import { useManifest, useMembers, useThisInstance } from "@/lib/instance";
import { useCan } from "@/lib/me";
import type { Instance, Member } from "@/lib/members";
import { atWords, type Operation, openOnes, standsStill } from "@/lib/operations";
import { useAll, usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { isOver } from "@/lib/status";
import { componentWord, topologyOf } from "@/lib/topology";
import { Failure } from "@/pages/operations/Failure";
import { OperationVerbs } from "@/pages/operations/OperationVerbs";

/** Parts of an operation that are shown where they stand still; its page has them all. */
const MOST_STUCK = 3;

export function OverviewTab() {
  const instance = useThisInstance();
  const members = useMembers(instance.id);
  const { latest, stuck } = useLatest(instance);
  const busy = latest !== null && (!isOver(latest.status) || latest.status === "failed");
  return (
    <Stack gap="lg">
      <FailedMembers instance={instance} members={members.items} />
      {stuck.map((operation) => (
        <Stuck key={operation.id} operation={operation} />
      ))}
      {busy && (
        <Latest operation={latest} title={latest.ended_at ? "It failed" : "Going on"} whole />
      )}
      <Made instance={instance} members={members} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Components instance={instance} members={members.items} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <About instance={instance} />
        </Grid.Col>
      </Grid>
      {!busy && latest && <Latest operation={latest} title="Latest operation" />}
    </Stack>
  );
}

/** What goes on now, of members too, else what was asked for last; and the parts of it that stand still. */
function useLatest({ id }: Instance): { latest: Operation | null; stuck: Operation[] } {
  const { items } = usePages("/v1/operations", {}, { instance: id, limit: 50 });
  const latest = openOnes(items)[0] ?? items.find(({ parent_id }) => parent_id === null) ?? null;
  const parts = items.filter(({ parent_id }) => latest !== null && parent_id === latest.id);
  return { latest, stuck: parts.filter(standsStill).slice(0, MOST_STUCK) };
}

/** A part of an operation that needs somebody, with what can be done about it. */
function Stuck({ operation }: { operation: Operation }) {
  return (
    <Section
      title={`${operation.member_name ?? "A member"} stands still`}
      lead={
        <To to={`/operations/${operation.id}`}>
          {kindWords(operation.kind, operation.action)}, step by step
        </To>
      }
      actions={<OperationVerbs operation={operation} several />}
    >
      <Failure operation={operation} />
    </Section>
  );
}

/** What to do first where members failed. */
function FailedMembers({ instance, members }: { instance: Instance; members: Member[] }) {
  const path = usePath();
  const failed = members.filter(({ status }) => status === "failed");
  const [first] = failed;
  if (!first) return null;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={failed.length === 1 ? `${first.name} failed` : `${failed.length} members failed`}
      role="status"
    >
      <Text size="sm">
        {first.status_reason ?? "The app gave no reason."}{" "}
        <To to={path("instances", instance.id, "members")} search={{ q: "failed" }}>
          {failed.length === 1 ? "Replace or remove it" : "Replace or remove them"}
        </To>
        , or look at{" "}
        <To to={`/operations/${first.last_operation_id}`}>the operation that failed</To>.
      </Text>
    </Alert>
  );
}

function Latest({
  operation,
  title,
  whole = false,
}: {
  operation: Operation;
  title: string;
  /** With its steps; else a line. */
  whole?: boolean;
}) {
  const steps = useQuery(ask("/v1/operations/{operation}/steps", { operation: operation.id }));
  const says = operation.error ? null : atWords(operation);
  return (
    <Section
      title={title}
      lead={
        <>
          Asked for by {operation.requested_by_name}, <Ago at={operation.created_at} />
          {operation.ended_at ? ", took " : ", going on for "}
          <Elapsed from={operation.created_at} until={operation.ended_at} />
        </>
      }
      actions={<OperationVerbs operation={operation} several />}
    >
      <Stack gap="md">
        <div
          style={{ display: "flex", gap: 8, alignItems: "center", flexWrap: "wrap" }}
          aria-live="polite"
        >
          <To to={`/operations/${operation.id}`} fw={600}>
            {kindWords(operation.kind, operation.action)}
          </To>
          <OperationState status={operation.status} />
          {says && (
            <Text size="sm" c="dimmed">
              {says}
            </Text>
          )}
        </div>
        {whole && <OperationProgress of={operation} />}
        <Failure operation={operation} />
        {whole && steps.data && steps.data.items.length > 0 && (
          <OperationTimeline steps={steps.data.items} />
        )}
      </Stack>
    </Section>
  );
}

function Made({
  instance,
  members,
}: {
  instance: Instance;
  members: ReturnType<typeof useMembers>;
}) {
  const path = usePath();
  const manifest = useManifest(instance);
  const narrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const [shape, setShape] = useSearchParam("shape", narrow ? "list" : "graph");
  const app = manifest?.name ?? sentence(instance.app_slug);
  const topology = useMemo(
    () => topologyOf({ ...instance, app }, members.items),
    [instance, app, members.items],
  );
  return (
    <Section
      title="What it is made of"
      actions={<ShapeChoice shape={shape as Shape} onChange={setShape} />}
    >
      {members.error && <Failed error={members.error} retry={members.refetch} />}
      {members.isPending ? (
        <Loading />
      ) : (
        <TopologyOf
          of={topology}
          members={path("instances", instance.id, "members")}
          shape={shape as Shape}
        />
      )}
    </Section>
  );
}

type Component = Instance["components"][number];

function Components({ instance, members: parts }: { instance: Instance; members: Member[] }) {
  const path = usePath();
  const members = path("instances", instance.id, "members");
  const columns = useMemo<Column<Component>[]>(
    () => [
      {
        id: "key",
        title: "Component",
        show: (row) => (
          <>
            <To to={members} search={{ q: row.key }} fw={550}>
              {sentence(row.key)}
            </To>
            {row.summary && (
              <Text size="xs" c="dimmed">
                {row.summary}
              </Text>
            )}
          </>
        ),
      },
      { id: "ready", title: "Ready", align: "right", show: (row) => row.ready },
      { id: "current", title: "There", align: "right", show: (row) => row.current },
      { id: "desired", title: "Wanted", align: "right", show: (row) => row.desired },
      {
        id: "health",
        title: "State",
        show: (row) => (
          <Status
            word={componentWord(
              row,
              parts.filter(({ component }) => component === row.key),
            )}
          />
        ),
      },
    ],
    [members, parts],
  );
  return (
    <Section flush title="Components">
      <Rows
        rows={instance.components}
        columns={columns}
        rowKey={({ key }) => key}
        noun="component"
        id="c"
      />
    </Section>
  );
}

function About({ instance }: { instance: Instance }) {
  const wanted = instance.components.reduce((sum, each) => sum + each.desired, 0);
  return (
    <Section title="About it">
      <Facts
        columns={4}
        of={[
          ["Operated by", <Operator key="operator" instance={instance} />],
          ["Size", plural(wanted, "member")],
          ["Mode", sentence(instance.operating_mode)],
          ["Shape", instance.topology_mode ? sentence(instance.topology_mode) : null],
          ["Revision", instance.revision],
          ["Deployed", <Ago key="deployed" at={instance.created_at} />],
          ["Last heard of", <Ago key="heard" at={instance.observed_at} />],
          ["Cost of its machines so far (an estimate)", <Cost key="cost" instance={instance} />],
        ]}
      />
    </Section>
  );
}

/** Of the machines that it holds now, for as long as the project has held them. */
function Cost({ instance }: { instance: Instance }) {
  const can = useCan();
  const held = useAll(
    usePages(
      "/v1/projects/{project}/allocations",
      { project: instance.project_id },
      { live: true, limit: 200 },
      { enabled: can("infra.allocation.read").allowed },
    ),
  );
  return costOf(instance.id, held.items).map(({ soFar, hourly }) => (
    <div key={hourly}>
      {soFar}, at {hourly} an hour
    </div>
  ));
}

function Operator({ instance }: { instance: Instance }) {
  const { operator } = instance;
  if (!operator) return <Status word="revoked" label="Nobody" />;
  return (
    <>
      {operator.serves === "publisher" ? "The app's publisher" : operator.name}
      <br />
      {operator.listening ? (
        <Status word="live" label="Listens" />
      ) : (
        <Status
          word="unreachable"
          label="Does not listen"
          why="Nothing that is asked of this instance is done until it listens again."
        />
      )}
    </>
  );
}
