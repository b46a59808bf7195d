/** What an app shows of itself: its views as tables that keep themselves up to date. */
import { Badge, Group, Loader, Modal, Stack, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconClockPause, IconTable } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Ago } from "@/components/Ago";
import { Empty, Face, Failed } from "@/components/Faces";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { VerbMenu } from "@/components/VerbMenu";
import { ask, Refusal } from "@/lib/api";
import { ago } from "@/lib/format";
import { useThisInstance } from "@/lib/instance";
import type { Instance } from "@/lib/members";
import { useNow } from "@/lib/now";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useViewRows, type ViewRows } from "@/lib/viewRows";
import {
  type Action,
  cellWords,
  given,
  isNumeric,
  isStale,
  rowActions,
  sortable,
  type View,
  type ViewRow,
} from "@/lib/views";
import { mayRun, RunAction } from "@/pages/projects/instances/RunAction";
import "@/pages/projects/instances/tabs.css";

export function ViewsTab() {
  const instance = useThisInstance();
  const views = useQuery(ask("/v1/instances/{instance}/views", { instance: instance.id }));
  return <Face of={views}>{({ items }) => <Views instance={instance} views={items} />}</Face>;
}

function Views({ instance, views }: { instance: Instance; views: View[] }) {
  const { view: name } = useParams({ strict: false });
  const readable = views.filter((each) => each.readable);
  const chosen = name ? readable.find((each) => each.name === name) : readable[0];
  if (views.length === 0)
    return (
      <Empty icon={IconTable} title="This app shows no tables of its own">
        How it is stands under Overview and Members.
      </Empty>
    );
  if (readable.length === 0)
    return (
      <Empty icon={IconTable} title="You cannot read any of its tables">
        You need the permission {views[0]?.permission} in this project; its admins can give you a
        role.
      </Empty>
    );
  return (
    <Stack gap="md">
      <Choice instance={instance} views={readable} chosen={chosen} />
      {chosen ? (
        <Table key={chosen.name} instance={instance} view={chosen} />
      ) : (
        <Failed error={new Refusal(404, {})} />
      )}
    </Stack>
  );
}

function Choice({
  instance,
  views,
  chosen,
}: {
  instance: Instance;
  views: View[];
  chosen: View | undefined;
}) {
  const path = usePath();
  return (
    <nav className="pills" aria-label="Views">
      {views.map((view) => (
        <Link
          key={view.name}
          to={path("instances", instance.id, "views", view.name)}
          aria-current={view === chosen ? "page" : undefined}
        >
          {view.title}{" "}
          <Text span size="xs" c="dimmed" className="numbers">
            {view.row_count.toLocaleString("en")}
          </Text>
        </Link>
      ))}
    </nav>
  );
}

function Table({ instance, view }: { instance: Instance; view: View }) {
  const rows = useViewRows(instance.id, view);
  return (
    <Section title={view.title} actions={<Freshness view={view} rows={rows.data} />} flush>
      <Face of={rows}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty icon={IconTable} title={view.observed_at ? "It is empty" : "Nothing yet"}>
              {view.observed_at
                ? "There is nothing to show now. Rows appear here by themselves."
                : "The app has not looked yet. Rows appear here by themselves once it has."}
            </Empty>
          ) : (
            <Content instance={instance} view={view} rows={found.rows} />
          )
        }
      </Face>
    </Section>
  );
}

function Content({ instance, view, rows }: { instance: Instance; view: View; rows: ViewRow[] }) {
  const actions = useQuery(ask("/v1/instances/{instance}/actions", { instance: instance.id }));
  const [started, setStarted] = useState<{ action: Action; row: ViewRow } | null>(null);
  const shape = JSON.stringify([view.columns, view.key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view is new each time it moves, its shape is not
  const columns = useMemo(() => {
    const offered = rowActions(view, actions.data?.items ?? []);
    const cells = view.columns.map((column) => cell(column));
    return offered.length === 0
      ? cells
      : [...cells, verbs(instance, offered, (action, row) => setStarted({ action, row }))];
  }, [shape, actions.data, instance.status]);
  return (
    <>
      <Rows rows={rows} columns={columns} rowKey={(row) => row.key} noun="row" />
      <Modal
        opened={started !== null}
        onClose={() => setStarted(null)}
        title={<Text fw={650}>{started?.action.title}</Text>}
        size="lg"
      >
        {started && (
          <RunAction
            instance={instance}
            action={started.action}
            begin={given(view, started.action, started.row)}
            onClose={() => setStarted(null)}
          />
        )}
      </Modal>
    </>
  );
}

function cell({ name, title, type }: View["columns"][number]): Column<ViewRow> {
  return {
    id: name,
    title,
    align: isNumeric(type) ? "right" : undefined,
    value: ({ data }) => sortable(type, data[name]),
    show: ({ data }) => {
      const value = data[name];
      if (type === "time" && typeof value === "string") return <Ago at={value} size="sm" />;
      const words = cellWords(type, value);
      return (
        <div className="cut" title={words.length > 40 ? words : undefined}>
          {words || "–"}
        </div>
      );
    },
  };
}

function verbs(
  instance: Instance,
  actions: Action[],
  start: (action: Action, row: ViewRow) => void,
): Column<ViewRow> {
  return {
    id: "verbs",
    title: "",
    width: 48,
    stick: true,
    show: (row) => (
      <VerbMenu
        of={row.key}
        verbs={actions.map((action) => ({
          label: action.title,
          may: mayRun(action, instance),
          onClick: () => start(action, row),
        }))}
      />
    ),
  };
}

/** How old it is, and whether it is all of it. */
function Freshness({ view, rows }: { view: View; rows: ViewRows | undefined }) {
  const now = useNow();
  const stale = isStale(view.observed_at, now);
  return (
    <Group gap="sm">
      {rows?.partial && (
        <Group gap={6}>
          <Loader size={12} />
          <Text size="sm" c="dimmed" className="numbers">
            {rows.rows.length.toLocaleString("en")} of {view.row_count.toLocaleString("en")} rows
          </Text>
        </Group>
      )}
      {view.truncated && (
        <Tooltip label="The app has more rows than a view can hold. The freshest are shown.">
          <Badge
            color="yellow"
            leftSection={<IconAlertTriangle size={13} aria-hidden />}
            tabIndex={0}
          >
            {view.row_count.toLocaleString("en")} of {view.total.toLocaleString("en")} rows
          </Badge>
        </Tooltip>
      )}
      {stale && view.observed_at ? (
        <Tooltip label="Nobody has looked since. What you see may have changed.">
          <Badge color="yellow" leftSection={<IconClockPause size={13} aria-hidden />} tabIndex={0}>
            Old: as of {ago(view.observed_at, now)}
          </Badge>
        </Tooltip>
      ) : (
        <Text size="sm" c="dimmed" component="div">
          {view.observed_at ? (
            <>
              Looked at <Ago at={view.observed_at} span />
            </>
          ) : (
            "Not looked at yet"
          )}
        </Text>
      )}
    </Group>
  );
}
