/** Operations of a project or of one instance; what they are narrowed to stands in the address. */
import { Checkbox, Group, Select, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useEffect, useMemo } from "react";
import { Ago, Elapsed } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { OperationProgress, OperationState } from "@/components/OperationState";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { To } from "@/components/To";
import { kindWords, sentence } from "@/lib/format";
import { useThisProject } from "@/lib/me";
import { type Operation, stateOf } from "@/lib/operations";
import { type Pages, usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

const KINDS = [
  "instance.deploy",
  "instance.configure",
  "instance.upgrade",
  "instance.rollback",
  "instance.stop",
  "instance.start",
  "instance.restart",
  "instance.repair",
  "instance.decommission",
  "member.add",
  "member.drain",
  "member.resume",
  "member.remove",
  "member.replace",
  "action",
  "credential.rotate",
  "node.session",
];
const STATUSES: Operation["status"][] = [
  "pending",
  "ready",
  "running",
  "waiting",
  "blocked",
  "undoing",
  "succeeded",
  "failed",
  "cancelled",
  "abandoned",
];

/** Of one instance, or of all: then each says which it is about. */
export function OperationsTable({ instance }: { instance?: string }) {
  const project = useThisProject();
  const [kind, setKind] = useSearchParam("kind");
  const [status, setStatus] = useSearchParam("status");
  const [parts, setParts] = useSearchParam("parts");
  const operations = usePages(
    "/v1/operations",
    {},
    {
      project: project.id,
      limit: 100,
      ...(instance ? { instance } : {}),
      ...(kind ? { kind } : {}),
      ...(status ? { status: status as Operation["status"] } : {}),
    },
  );
  const tools = (
    <Group gap="sm">
      <Narrow
        label="What"
        value={kind}
        onChange={setKind}
        choices={KINDS.map((each) => [each, kindWords(each)])}
      />
      <Narrow
        label="State"
        value={status}
        onChange={setStatus}
        choices={STATUSES.map((each) => [each, stateOf(each).label ?? sentence(each)])}
      />
      <Checkbox
        size="sm"
        label="Parts and upkeep too"
        checked={parts !== ""}
        onChange={(event) => setParts(event.currentTarget.checked ? "1" : "")}
      />
    </Group>
  );
  const columns = useColumns(instance === undefined);
  const shown = operations.items.filter((row) => parts !== "" || kind !== "" || isWish(row));
  useEnough(operations, shown.length);
  return (
    <Section flush>
      <Group px="md" pt="sm" pb="xs" justify="flex-end">
        {tools}
      </Group>
      <ListFace
        of={operations}
        empty={
          <Empty
            icon={IconListDetails}
            title={kind || status ? "No operation is like that" : "Nothing was asked for yet"}
          >
            {kind || status
              ? "Choose another kind or state."
              : "Every change shows here: who asked for it, each step, and how it ended."}
          </Empty>
        }
      >
        {() => (
          <Rows
            rows={shown}
            columns={columns}
            rowKey={({ id }) => id}
            noun="operation"
            {...operations}
          />
        )}
      </ListFace>
    </Section>
  );
}

/** Somebody's own wish: neither a part of another, nor what the platform does of itself. */
function isWish(row: Operation): boolean {
  return row.parent_id === null && row.requested_by_kind !== "system";
}

const ENOUGH = 20;

/** Where most of what came is not shown, more is asked for. */
function useEnough(pages: Pages<Operation>, shown: number): void {
  const { hasMore, isLoadingMore, loadMore, error } = pages;
  const more = hasMore && !isLoadingMore && !error && shown < ENOUGH;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is new each time
  useEffect(() => {
    if (more) loadMore();
  }, [more]);
}

function Narrow({
  label,
  value,
  onChange,
  choices,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: [value: string, label: string][];
}) {
  return (
    <Select
      aria-label={label}
      placeholder={`${label}: any`}
      size="sm"
      w={190}
      clearable
      searchable
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? "")}
      data={choices.map(([value, label]) => ({ value, label }))}
    />
  );
}

function useColumns(all: boolean): Column<Operation>[] {
  const path = usePath();
  const base = path("instances");
  return useMemo<Column<Operation>[]>(() => {
    const about: Column<Operation> = {
      id: "instance",
      title: "Instance",
      value: (row) => row.instance_name,
      show: (row) =>
        row.instance_id ? (
          <To to={`${base}/${row.instance_id}`}>{row.instance_name ?? "Instance"}</To>
        ) : (
          <Text c="dimmed">–</Text>
        ),
    };
    return [
      {
        id: "what",
        title: "What",
        value: (row) => kindWords(row.kind, row.action),
        show: (row) => (
          <>
            <To to={`/operations/${row.id}`} fw={550}>
              {kindWords(row.kind, row.action)}
            </To>
            {row.reason && (
              <Text size="xs" c="dimmed" lineClamp={1} maw={320}>
                {row.reason}
              </Text>
            )}
          </>
        ),
      },
      ...(all ? [about] : []),
      {
        id: "state",
        title: "State",
        value: (row) => row.status,
        show: (row) => (
          <>
            <OperationState status={row.status} why={row.error?.message ?? row.message} />
            {row.ended_at === null && <OperationProgress of={row} />}
          </>
        ),
      },
      {
        id: "by",
        title: "Asked for by",
        value: (row) => row.requested_by_name,
        show: (row) => row.requested_by_name,
      },
      {
        id: "when",
        title: "When",
        value: (row) => Date.parse(row.created_at),
        show: (row) => <Ago at={row.created_at} />,
      },
      {
        id: "took",
        title: "Took",
        align: "right",
        value: (row) => Date.parse(row.ended_at ?? "") - Date.parse(row.created_at),
        show: (row) => <Elapsed from={row.created_at} until={row.ended_at} />,
      },
    ];
  }, [all, base]);
}
