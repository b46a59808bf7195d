/** Classes of machines with their prices, and the places where machines stand. */
import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconBuildingFactory2, IconMapPin } from "@tabler/icons-react";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { shape } from "@/lib/classes";
import { money } from "@/lib/format";
import { useCan } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

type Sku = Schemas["SkuRead"];
type Region = Schemas["RegionRead"];

const GIB = 1024 ** 3;

export function ClassesPage() {
  return (
    <Page
      title="SKUs and regions"
      lead="What kinds of machines there are, what an hour of each costs, and where they stand."
    >
      <Skus />
      <Regions />
    </Page>
  );
}

/** The dialog that the address names: `open=sku.new`, `open=sku.<id>`. */
function useDialog(
  kind: string,
): [id: string | null, open: (id: string) => void, close: () => void] {
  const [open, setOpen] = useSearchParam("open");
  const id = open.startsWith(`${kind}.`) ? open.slice(kind.length + 1) : null;
  return [id, (wanted) => setOpen(`${kind}.${wanted}`), () => setOpen("")];
}

function Skus() {
  const can = useCan();
  const skus = usePages("/v1/skus", {}, { limit: 200 });
  const [id, open, close] = useDialog("sku");
  const chosen = skus.items.find((each) => each.id === id);
  const may = can("infra.sku.write");
  const add = (
    <Verb may={may} variant="default" onClick={() => open("new")}>
      Add a class
    </Verb>
  );
  const columns: Column<Sku>[] = [
    {
      id: "name",
      title: "Class",
      value: (row) => `${row.name} ${row.slug}`,
      show: (row) => <Named name={row.name} slug={row.slug} />,
    },
    { id: "shape", title: "Made of", value: (row) => shape(row), show: (row) => shape(row) },
    {
      id: "price",
      title: "Price an hour",
      align: "right",
      value: (row) => row.price_micros,
      show: (row) => money(row.price_micros, row.currency),
    },
    {
      id: "state",
      title: "State",
      value: (row) => (row.retired_at ? "retired" : "in use"),
      show: (row) => <InUse retired={row.retired_at !== null} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => (
        <Verb
          may={may}
          size="compact-sm"
          variant="default"
          onClick={() => open(row.id)}
          aria-label={`Change ${row.name}`}
        >
          Change
        </Verb>
      ),
    },
  ];
  return (
    <Section title="Classes of machines (SKUs)" actions={skus.items.length > 0 && add} flush>
      <ListFace
        of={skus}
        empty={
          <Empty icon={IconBuildingFactory2} title="There is no class yet" action={add}>
            A class says what its machines are made of and what an hour costs. Every node is of one.
          </Empty>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={(row) => row.id} noun="class" id="s" />
        )}
      </ListFace>
      {id === "new" && <NewSku onClose={close} />}
      {chosen && <ChangeSku key={chosen.version} sku={chosen} onClose={close} />}
    </Section>
  );
}

function Named({ name, slug }: { name: string; slug: string }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {slug}
      </Text>
    </Stack>
  );
}

function InUse({ retired }: { retired: boolean }) {
  return retired ? <Status word="retired" /> : <Status word="enabled" label="In use" />;
}

function NewSku({ onClose }: { onClose: () => void }) {
  const [given, setGiven] = useState({
    slug: "",
    name: "",
    cpus: 8,
    memory: 32,
    gpus: 0,
    model: "",
    price: 1,
    currency: "EUR",
  });
  const set = (more: Partial<typeof given>) => setGiven({ ...given, ...more });
  const act = useAct(
    (body: Schemas["SkuCreate"], headers) => client.POST("/v1/skus", { body, headers }),
    { quiet: true, done: (body) => `Class ${body.name} added`, onDone: onClose },
  );
  const fault = (field: string) =>
    act.error?.faults.find((each) => each.location === `body.${field}`)?.message;
  return (
    <Ask
      title="Add a class of machines"
      opened
      onClose={onClose}
      verb="Add"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() =>
        act.mutate({
          slug: given.slug,
          name: given.name,
          cpus: given.cpus,
          memory_bytes: Math.round(given.memory * GIB),
          gpus: given.gpus,
          gpu_model: given.gpus > 0 ? given.model || null : null,
          price_micros: Math.round(given.price * 1_000_000),
          currency: given.currency,
        })
      }
    >
      <Group grow align="flex-start">
        <TextInput
          label="Name"
          description="For people."
          value={given.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fault("name")}
          required
        />
        <TextInput
          label="Short name"
          description="For addresses; never changes."
          value={given.slug}
          onChange={(event) => set({ slug: event.currentTarget.value.trim() })}
          error={fault("slug")}
          required
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="CPU threads"
          min={1}
          allowDecimal={false}
          value={given.cpus}
          onChange={(value) => set({ cpus: Number(value) || 1 })}
          required
        />
        <NumberInput
          label="Memory"
          suffix=" GiB"
          min={1}
          value={given.memory}
          onChange={(value) => set({ memory: Number(value) || 1 })}
          required
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="GPUs"
          min={0}
          allowDecimal={false}
          value={given.gpus}
          onChange={(value) => set({ gpus: Number(value) || 0 })}
        />
        <TextInput
          label="GPU model"
          placeholder="H200"
          value={given.model}
          onChange={(event) => set({ model: event.currentTarget.value })}
          disabled={given.gpus === 0}
          error={fault("gpu_model")}
        />
      </Group>
      <Group grow align="flex-start">
        <Price value={given.price} onChange={(price) => set({ price })} />
        <Select
          label="Currency"
          data={["EUR", "USD", "GBP", "CHF", "JPY"]}
          value={given.currency}
          onChange={(value) => set({ currency: value ?? "EUR" })}
          allowDeselect={false}
          searchable
        />
      </Group>
      <Text size="sm" c="dimmed">
        What machines of a class are made of stays as it is: another shape is another class.
      </Text>
    </Ask>
  );
}

function Price({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  return (
    <NumberInput
      label="Price an hour"
      min={0}
      decimalScale={6}
      value={value}
      onChange={(next) => onChange(Number(next) || 0)}
      required
    />
  );
}

function ChangeSku({ sku, onClose }: { sku: Sku; onClose: () => void }) {
  const [name, setName] = useState(sku.name);
  const [price, setPrice] = useState(sku.price_micros / 1_000_000);
  const act = useAct(
    (body: Schemas["SkuUpdate"], headers) =>
      client.PATCH("/v1/skus/{sku}", {
        params: { path: { sku: sku.id } },
        body,
        headers: { ...headers, "if-match": `"${sku.version}"` },
      }),
    { quiet: true, done: `Class ${name} changed`, onDone: onClose },
  );
  return (
    <Ask
      title={`Change ${sku.name}`}
      opened
      onClose={onClose}
      verb="Save"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ name, price_micros: Math.round(price * 1_000_000) })}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Price value={price} onChange={setPrice} />
      <Text size="sm" c="dimmed">
        In {sku.currency}. A new price counts from now on; what was held before stays at the old
        one.
      </Text>
      <Retire
        retired={sku.retired_at !== null}
        what="Nobody gets machines of a retired class. Those that are held stay."
        onClick={() => act.mutate({ retired: sku.retired_at === null })}
      />
    </Ask>
  );
}

function Retire({
  retired,
  what,
  onClick,
}: {
  retired: boolean;
  what: string;
  onClick: () => void;
}) {
  return (
    <Group gap="md" wrap="nowrap">
      <Button
        variant="default"
        size="compact-sm"
        color={retired ? undefined : "red"}
        onClick={onClick}
        style={{ flexShrink: 0 }}
      >
        {retired ? "Take back into use" : "Retire"}
      </Button>
      <Text size="sm" c="dimmed">
        {what}
      </Text>
    </Group>
  );
}

function Regions() {
  const can = useCan();
  const regions = usePages("/v1/regions", {}, { limit: 200 });
  const [id, open, close] = useDialog("region");
  const chosen = regions.items.find((each) => each.id === id);
  const may = can("infra.region.write");
  const add = (
    <Verb may={may} variant="default" onClick={() => open("new")}>
      Add a region
    </Verb>
  );
  const columns: Column<Region>[] = [
    {
      id: "name",
      title: "Region",
      value: (row) => `${row.name} ${row.slug}`,
      show: (row) => <Named name={row.name} slug={row.slug} />,
    },
    {
      id: "state",
      title: "State",
      value: (row) => (row.retired_at ? "retired" : "in use"),
      show: (row) => <InUse retired={row.retired_at !== null} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => (
        <Verb
          may={may}
          size="compact-sm"
          variant="default"
          onClick={() => open(row.id)}
          aria-label={`Change ${row.name}`}
        >
          Change
        </Verb>
      ),
    },
  ];
  return (
    <Section title="Regions" actions={regions.items.length > 0 && add} flush>
      <ListFace
        of={regions}
        empty={
          <Empty icon={IconMapPin} title="There is no region yet" action={add}>
            A region is a place where machines stand, such as a data centre.
          </Empty>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={(row) => row.id} noun="region" id="r" />
        )}
      </ListFace>
      {id === "new" && <NewRegion onClose={close} />}
      {chosen && <ChangeRegion key={chosen.version} region={chosen} onClose={close} />}
    </Section>
  );
}

function NewRegion({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [slug, setSlug] = useState("");
  const act = useAct(
    (body: Schemas["RegionCreate"], headers) => client.POST("/v1/regions", { body, headers }),
    { quiet: true, done: (body) => `Region ${body.name} added`, onDone: onClose },
  );
  return (
    <Ask
      title="Add a region"
      opened
      onClose={onClose}
      verb="Add"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ name, slug })}
    >
      <TextInput
        label="Name"
        description="For people."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <TextInput
        label="Short name"
        description="For addresses; never changes."
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value.trim())}
        required
      />
    </Ask>
  );
}

function ChangeRegion({ region, onClose }: { region: Region; onClose: () => void }) {
  const [name, setName] = useState(region.name);
  const act = useAct(
    (body: Schemas["RegionUpdate"], headers) =>
      client.PATCH("/v1/regions/{region}", {
        params: { path: { region: region.id } },
        body,
        headers: { ...headers, "if-match": `"${region.version}"` },
      }),
    { quiet: true, done: `Region ${name} changed`, onDone: onClose },
  );
  return (
    <Ask
      title={`Change ${region.name}`}
      opened
      onClose={onClose}
      verb="Save"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ name })}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Retire
        retired={region.retired_at !== null}
        what="Nobody gets machines in a retired region. Those that are held stay."
        onClick={() => act.mutate({ retired: region.retired_at === null })}
      />
    </Ask>
  );
}
