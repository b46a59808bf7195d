/** The machines that a project holds. */
import { Group, Stack, Switch, Text } from "@mantine/core";
import { IconServer2 } from "@tabler/icons-react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import type { Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { useClasses } from "@/lib/classes";
import { money } from "@/lib/format";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { AllocateDialog } from "@/pages/projects/machines/AllocateDialog";
import { ReleaseDialog } from "@/pages/projects/machines/ReleaseDialog";
import { dirtyWords, isHeld, keeps, reachWords } from "@/pages/projects/machines/words";

type Machine = Schemas["AllocationRead"];

export function MachinesPage() {
  const project = useThisProject();
  const can = useCan();
  const [past, setPast] = useSearchParam("past");
  const [open, setOpen] = useSearchParam("open");
  const machines = usePages(
    "/v1/projects/{project}/allocations",
    { project: project.id },
    past ? { limit: 200 } : { live: true, limit: 200 },
  );
  const releasing = machines.items.find((each) => open === `release.${each.id}`);
  const get = (
    <Verb may={can("infra.allocation.create")} onClick={() => setOpen("get")}>
      Get machines
    </Verb>
  );
  return (
    <Page
      title="Machines"
      lead="Machines that this project holds. Instances run on them; you pay for them until you give them back."
      actions={get}
    >
      {machines.items.some(isHeld) && <Totals machines={machines.items} />}
      <Section flush>
        <Group px="md" py="sm" justify="flex-end">
          <Switch
            label="Show those that were given back"
            checked={past !== ""}
            onChange={(event) => setPast(event.currentTarget.checked ? "yes" : "")}
          />
        </Group>
        <ListFace
          of={machines}
          empty={
            <Empty icon={IconServer2} title="This project holds no machine" action={get}>
              Ask for machines of a class in a region. The platform chooses them and makes them
              ready; then you can deploy apps on them.
            </Empty>
          }
        >
          {(items) => (
            <Table machines={items} more={machines} onRelease={(id) => setOpen(`release.${id}`)} />
          )}
        </ListFace>
      </Section>
      {open === "get" && <AllocateDialog opened onClose={() => setOpen("")} />}
      {releasing && <ReleaseDialog machine={releasing} onClose={() => setOpen("")} />}
    </Page>
  );
}

function Totals({ machines }: { machines: Machine[] }) {
  const held = machines.filter(isHeld);
  const perHour = new Map<string, number>();
  for (const { status, cost } of held)
    if (status === "active")
      perHour.set(cost.currency, (perHour.get(cost.currency) ?? 0) + cost.price_micros_per_hour);
  const gpus = held.reduce((sum, each) => sum + each.gpus, 0);
  return (
    <Section>
      <Facts
        columns={5}
        of={[
          ["Held", held.length.toLocaleString("en")],
          [
            "Free",
            held
              .filter((each) => each.status === "active" && each.instance_id === null)
              .length.toLocaleString("en"),
          ],
          ["GPUs", gpus.toLocaleString("en")],
          [
            "Cost now (an estimate)",
            [...perHour]
              .map(([currency, micros]) => `${money(micros, currency)} an hour`)
              .join(", "),
          ],
        ]}
      />
    </Section>
  );
}

function Table({
  machines,
  more,
  onRelease,
}: {
  machines: Machine[];
  more: object;
  onRelease: (id: string) => void;
}) {
  const can = useCan();
  const path = usePath();
  const { regionName } = useClasses();
  const columns: Column<Machine>[] = [
    {
      id: "name",
      title: "Name",
      value: (row) => row.name,
      show: (row) => (
        <Stack gap={0}>
          <To to={path("machines", row.id)} fw={600} style={{ whiteSpace: "nowrap" }}>
            {row.name}
          </To>
          <Text size="xs" c="dimmed">
            {row.node_name}
          </Text>
        </Stack>
      ),
    },
    {
      id: "status",
      title: "Status",
      value: (row) => row.status,
      show: (row) => <State machine={row} />,
    },
    {
      id: "runs",
      title: "Runs",
      value: (row) => row.instance_name,
      show: (row) =>
        row.instance_id ? (
          <To to={path("instances", row.instance_id)}>{row.instance_name ?? "An instance"}</To>
        ) : (
          <Text size="sm" c="dimmed">
            {row.status === "active" ? "Nothing" : "–"}
          </Text>
        ),
    },
    {
      id: "sku",
      title: "Class",
      value: (row) => row.sku,
      show: (row) => <span style={{ whiteSpace: "nowrap" }}>{row.sku}</span>,
    },
    {
      id: "region",
      title: "Region",
      value: (row) => regionName(row.region),
      show: (row) => <span style={{ whiteSpace: "nowrap" }}>{regionName(row.region)}</span>,
    },
    {
      id: "since",
      title: "Held since",
      value: (row) => row.held_from,
      show: (row) => <Ago at={row.held_from} />,
    },
    {
      id: "cost",
      title: "Cost so far",
      align: "right",
      value: (row) => row.cost.amount_micros,
      show: (row) => money(row.cost.amount_micros, row.cost.currency),
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => {
        const why = keeps(row);
        return (
          <Verb
            may={all(can("infra.allocation.release"), why ? no(why) : YES)}
            size="compact-sm"
            variant="default"
            onClick={() => onRelease(row.id)}
            aria-label={`Give back ${row.name}`}
          >
            {row.status === "release_failed" ? "Try again" : "Give back"}
          </Verb>
        );
      },
    },
  ];
  return (
    <Rows rows={machines} columns={columns} rowKey={(row) => row.id} noun="machine" {...more} />
  );
}

export function State({ machine }: { machine: Machine }) {
  const reach = reachWords(machine);
  const wrong = machine.status === "active" && reach.word !== "live" && reach.word !== "none";
  return (
    <Group gap={4}>
      <Status word={machine.status} why={machine.message} />
      {wrong && <Status word={reach.word} label={reach.label} />}
      {machine.dirty.length > 0 && (
        <Status word="dirty" why={machine.dirty.map(dirtyWords).join(". ")} />
      )}
    </Group>
  );
}
