/** The machines of the platform: what there is, what of it is free, and what does not answer. */
import { Badge, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useMemo } from "react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import type { Schemas } from "@/lib/api";
import { shape, useClasses } from "@/lib/classes";
import { useCan } from "@/lib/me";
import { useAll, usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { AddDialog } from "@/pages/platform/nodes/AddDialog";
import { EnrolDialog } from "@/pages/platform/nodes/EnrolDialog";
import { hardwareWords, heard } from "@/pages/platform/nodes/words";

type Node = Schemas["NodeRead"];

const KINDS = {
  "": { label: "All", test: (node: Node) => node.status !== "retired" },
  free: {
    label: "Free",
    test: (node: Node) => node.status === "available" && !node.cordoned && node.reachable !== false,
  },
  held: { label: "Held", test: (node: Node) => node.allocation_id !== null },
  silent: { label: "Silent", test: (node: Node) => isSilent(node) },
  out: {
    label: "Out of use",
    test: (node: Node) => node.cordoned || ["maintenance", "quarantined"].includes(node.status),
  },
  retired: { label: "Retired", test: (node: Node) => node.status === "retired" },
} as const;
type Kind = keyof typeof KINDS;

function isSilent(node: Node): boolean {
  return heard(node).word === "unreachable";
}

export function NodesPage() {
  const can = useCan();
  const [open, setOpen] = useSearchParam("open");
  const nodes = useAll(usePages("/v1/nodes", {}, { limit: 200 }));
  const enrolling = open.startsWith("enrol.") ? open.slice("enrol.".length) : null;
  const add = (
    <Verb may={can("infra.node.enrol")} onClick={() => setOpen("add")}>
      Add a node
    </Verb>
  );
  return (
    <Page
      title="Nodes"
      lead="Every machine of the platform. Projects hold them as machines of theirs."
      actions={add}
    >
      <ListFace
        of={nodes}
        empty={
          <Empty icon={IconCpu} title="The platform has no machine yet" action={add}>
            Add a node, then run the line that you get on its host. It needs a class and a region:
            make them under <To to="/platform/classes">SKUs and regions</To>.
          </Empty>
        }
      >
        {(items) => <Fleet nodes={items} more={nodes} onEnrol={(id) => setOpen(`enrol.${id}`)} />}
      </ListFace>
      {open === "add" && (
        <AddDialog
          onClose={() => setOpen("")}
          onDone={(node) => setOpen(node.reach === "agent" ? `enrol.${node.id}` : "")}
        />
      )}
      {enrolling && <EnrolDialog node={enrolling} onClose={() => setOpen("")} />}
    </Page>
  );
}

function Fleet({
  nodes,
  more,
  onEnrol,
}: {
  nodes: Node[];
  more: object;
  onEnrol: (id: string) => void;
}) {
  const [given, setKind] = useSearchParam("show");
  const [region, setRegion] = useSearchParam("region");
  const [sku, setSku] = useSearchParam("class");
  const { regionName, regionChoices, skus } = useClasses();
  const kind = (given in KINDS ? given : "") as Kind;
  const shown = useMemo(
    () =>
      nodes.filter(
        (node) =>
          KINDS[kind].test(node) &&
          (!region || node.region === region) &&
          (!sku || node.sku === sku),
      ),
    [nodes, kind, region, sku],
  );
  const columns = useColumns(regionName, onEnrol);
  return (
    <>
      <Totals nodes={nodes} kind={kind} onChoose={setKind} />
      <Section flush>
        <Group px="md" pt="sm" pb="xs" gap="sm">
          <Select
            aria-label="Region"
            placeholder="Every region"
            size="xs"
            data={regionChoices}
            value={region || null}
            onChange={(value) => setRegion(value ?? "")}
            clearable
            w={160}
          />
          <Select
            aria-label="Class"
            placeholder="Every class"
            size="xs"
            data={skus.map((each) => ({ value: each.slug, label: each.name }))}
            value={sku || null}
            onChange={(value) => setSku(value ?? "")}
            clearable
            w={160}
          />
        </Group>
        {shown.length === 0 ? (
          <Text c="dimmed" ta="center" p="lg">
            No node is like this.
          </Text>
        ) : (
          <Rows rows={shown} columns={columns} rowKey={(row) => row.id} noun="node" {...more} />
        )}
      </Section>
    </>
  );
}

/** What is there at a glance; each number leads to its nodes. */
function Totals({
  nodes,
  kind,
  onChoose,
}: {
  nodes: Node[];
  kind: Kind;
  onChoose: (kind: string) => void;
}) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: nodes.some(KINDS.retired.test) ? 6 : 5 }} spacing="sm">
      {(Object.keys(KINDS) as Kind[]).map((each) => {
        const count = nodes.filter(KINDS[each].test).length;
        if (each === "retired" && count === 0) return null;
        const bad = (each === "silent" || each === "out") && count > 0;
        return (
          <Stack
            key={each}
            component="button"
            className="surface"
            gap={0}
            p="sm"
            ta="left"
            onClick={() => onChoose(each)}
            aria-pressed={kind === each}
            style={{
              cursor: "pointer",
              font: "inherit",
              color: "inherit",
              borderColor: kind === each ? "var(--mantine-primary-color-filled)" : undefined,
            }}
          >
            <Text size="xs" c="dimmed" fw={600}>
              {KINDS[each].label}
            </Text>
            <Text fz={22} fw={650} className="numbers" c={bad ? "yellow.8" : undefined}>
              {count.toLocaleString("en")}
            </Text>
          </Stack>
        );
      })}
    </SimpleGrid>
  );
}

function useColumns(
  regionName: (slug: string) => string,
  onEnrol: (id: string) => void,
): Column<Node>[] {
  const can = useCan();
  const { skus } = useClasses();
  const made = (slug: string) => {
    const sku = skus.find((each) => each.slug === slug);
    return sku ? shape(sku) : "";
  };
  return [
    {
      id: "name",
      title: "Name",
      value: (row) => row.name,
      show: (row) => (
        <To to={`/platform/nodes/${row.id}`} fw={600} style={{ whiteSpace: "nowrap" }}>
          {row.name}
        </To>
      ),
    },
    {
      id: "status",
      title: "Status",
      value: (row) => row.status,
      show: (row) => (
        <Group gap={4} wrap="nowrap">
          <Status word={row.status} why={row.status_reason} />
          {row.cordoned && <Badge color="yellow">Cordoned</Badge>}
        </Group>
      ),
    },
    {
      id: "heard",
      title: "Heartbeat",
      value: (row) => heard(row).label,
      show: (row) => <Heartbeat node={row} />,
    },
    {
      id: "class",
      title: "Class",
      value: (row) => `${row.sku} ${made(row.sku)}`,
      show: (row) => (
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          {row.sku}
          <Text span size="xs" c="dimmed" ml={6}>
            {made(row.sku)}
          </Text>
        </Text>
      ),
    },
    {
      id: "hardware",
      title: "Hardware",
      value: (row) => hardwareWords(row.hardware),
      show: (row) => (
        <span style={{ whiteSpace: "nowrap" }}>{hardwareWords(row.hardware) || "–"}</span>
      ),
    },
    {
      id: "holder",
      title: "Held by",
      value: (row) => row.holder?.org_name,
      show: (row) => row.holder?.org_name ?? "–",
    },
    {
      id: "region",
      title: "Region",
      value: (row) => regionName(row.region),
      show: (row) => <span style={{ whiteSpace: "nowrap" }}>{regionName(row.region)}</span>,
    },
    {
      id: "address",
      title: "Address",
      value: (row) => row.address,
      show: (row) => row.address ?? "–",
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) =>
        row.status === "enrolling" &&
        row.reach === "agent" && (
          <Verb
            may={can("infra.node.enrol")}
            size="compact-sm"
            variant="default"
            onClick={() => onEnrol(row.id)}
            aria-label={`Enrol ${row.name}`}
          >
            Enrol
          </Verb>
        ),
    },
  ];
}

/** Events say when a node falls silent; until then it answers, whenever the page was loaded. */
export function Heartbeat({ node }: { node: Node }) {
  const { word, label } = heard(node);
  return (
    <Group gap={6} wrap="nowrap">
      <Status word={word} label={label} />
      {word === "unreachable" && node.unreachable_since && (
        <Ago at={node.unreachable_since} c="dimmed" fz="xs" />
      )}
    </Group>
  );
}
