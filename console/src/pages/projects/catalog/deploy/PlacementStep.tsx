/** On which machines each component stands. */
import {
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
} from "@mantine/core";
import { IconServer2 } from "@tabler/icons-react";
import { useState } from "react";
import { Line } from "@/components/Prose";
import { Section } from "@/components/Section";
import { Verb } from "@/components/Verb";
import type { Schemas } from "@/lib/api";
import { useClasses } from "@/lib/classes";
import { listed } from "@/lib/declaration";
import { sentence } from "@/lib/format";
import { type Component, howMany, manifestOf } from "@/lib/manifest";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import {
  type Draft,
  freeFor,
  onOne,
  type Placed,
  placedFault,
  placedOf,
  stepMissing,
  theOne,
  together,
} from "@/pages/projects/catalog/deploy/draft";
import { Feet } from "@/pages/projects/catalog/deploy/Feet";
import type { StepProps } from "@/pages/projects/catalog/deploy/props";
import { AllocateDialog } from "@/pages/projects/machines/AllocateDialog";

type Machine = Schemas["AllocationRead"];

export function PlacementStep({ version, draft, onChange, go, faults }: StepProps) {
  const { components } = manifestOf(version);
  const free = useFree(version);
  const [tried, setTried] = useState(false);
  const shared = together(components);
  const [one, setOne] = useState(theOne(draft, components) !== null);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (stepMissing(draft, components) !== "placement") go("config");
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {shared.length > 0 && (
          <Presets
            shared={shared}
            one={one}
            onChange={(wish) => {
              setOne(wish);
              onChange(wish ? onOne(draft, components, free.ready[0]?.id ?? null) : apart(draft));
            }}
          />
        )}
        <Holding free={free} />
        {one && shared.length > 0 ? (
          <OneMachine
            draft={draft}
            components={components}
            machines={free.ready}
            onChange={onChange}
            tried={tried}
          />
        ) : (
          Object.entries(components).map(([key, component]) => (
            <Part
              key={key}
              name={key}
              component={component}
              placed={placedOf(draft, key, component)}
              machines={freeFor(free.ready, draft, components, key)}
              fault={
                faults.find((each) => each.location.startsWith(`body.components.${key}`))?.message
              }
              tried={tried}
              onChange={(placed) =>
                onChange({ ...draft, placement: { ...draft.placement, [key]: placed } })
              }
            />
          ))
        )}
      </Stack>
      <Feet back={() => go("name")} next="Next: configuration" />
    </form>
  );
}

function apart(draft: Draft): Draft {
  return { ...draft, placement: {} };
}

interface Free {
  ready: Machine[];
  /** Held, and on their way to be ready. */
  coming: Machine[];
}

/** Machines that the project holds and nothing runs on. */
function useFree(version: Schemas["VersionDetail"]): Free {
  const project = useThisProject();
  const held = usePages(
    "/v1/projects/{project}/allocations",
    { project: project.id },
    { live: true, limit: 200 },
  );
  const backend = version.manifest.runtime_backend;
  const free = held.items.filter(
    (each) =>
      each.instance_id === null &&
      each.dirty.length === 0 &&
      (each.scheduler_type === null || each.scheduler_type === backend),
  );
  return {
    ready: free.filter((each) => each.status === "active"),
    coming: free.filter((each) => ["requested", "provisioning"].includes(each.status)),
  };
}

function Presets({
  shared,
  one,
  onChange,
}: {
  shared: string[];
  one: boolean;
  onChange: (one: boolean) => void;
}) {
  return (
    <Radio.Group
      label="How should it stand?"
      value={one ? "one" : "separate"}
      onChange={(value) => onChange(value === "one")}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt={6}>
        <PresetCard
          value="separate"
          title="Separate machines"
          words="Each component has machines of its own. Right for real work."
        />
        <PresetCard
          value="one"
          title="One machine"
          words={`${sentence(listed(shared.map((key) => key.replaceAll("_", " "))))} together. Right for a first try.`}
        />
      </SimpleGrid>
    </Radio.Group>
  );
}

function PresetCard({ value, title, words }: { value: string; title: string; words: string }) {
  return (
    <Radio.Card
      value={value}
      p="md"
      className="surface"
      style={{ alignSelf: "stretch", display: "flex" }}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator mt={2} />
        <div>
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed">
            {words}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}

/** What the project has, and the way to more. */
function Holding({ free }: { free: Free }) {
  const can = useCan();
  const [asking, setAsking] = useState(false);
  const ready = free.ready.length;
  const said =
    ready === 0
      ? "No machine of this project is free"
      : `${ready} of your machines ${ready === 1 ? "is" : "are"} free`;
  return (
    <Alert
      color={ready === 0 && free.coming.length === 0 ? "yellow" : "harbour"}
      icon={<IconServer2 aria-hidden />}
      variant="light"
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {said}
          {free.coming.length > 0 && `; ${free.coming.length} more on the way`}. You can also let
          the platform get new ones for this.
        </Text>
        <Verb
          may={can("infra.allocation.create")}
          size="xs"
          variant="default"
          onClick={() => setAsking(true)}
        >
          Get machines
        </Verb>
      </Group>
      {asking && <AllocateDialog opened onClose={() => setAsking(false)} />}
    </Alert>
  );
}

function OneMachine({
  draft,
  components,
  machines,
  onChange,
  tried,
}: {
  draft: Draft;
  components: Record<string, Component>;
  machines: Machine[];
  onChange: (draft: Draft) => void;
  tried: boolean;
}) {
  const chosen = theOne(draft, components);
  return (
    <Section>
      <Select
        label="The machine"
        description={`It runs ${listed(together(components).map((key) => key.replaceAll("_", " ")))}.`}
        placeholder={machines.length === 0 ? "None is free: get one first" : "Choose a machine"}
        data={machines.map(choice)}
        value={chosen}
        onChange={(value) => onChange(onOne(draft, components, value))}
        error={tried && !chosen ? "Choose the machine that everything runs on." : null}
        maw={520}
        searchable
      />
    </Section>
  );
}

function Part({
  name,
  component,
  placed,
  machines,
  fault,
  tried,
  onChange,
}: {
  name: string;
  component: Component;
  placed: Placed;
  machines: Machine[];
  fault: string | undefined;
  tried: boolean;
  onChange: (placed: Placed) => void;
}) {
  const wrong = fault ?? (tried ? placedFault(placed, component) : null);
  const ways = [
    { value: "held", label: "Machines you hold" },
    { value: "new", label: "New machines" },
    ...(component.min === 0 ? [{ value: "none", label: "None for now" }] : []),
  ];
  return (
    <Section
      title={sentence(name)}
      lead={<Line text={`${component.description ?? ""} ${needs(component)}`} />}
    >
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          aria-label={`Where ${name} stands`}
          data={ways}
          value={placed.way}
          onChange={(way) => onChange({ ...placed, way: way as Placed["way"] })}
        />
        {placed.way === "held" && (
          <Held
            name={name}
            component={component}
            placed={placed}
            machines={machines}
            onChange={onChange}
          />
        )}
        {placed.way === "new" && <New component={component} placed={placed} onChange={onChange} />}
        {wrong && (
          <Text size="sm" c="red" role="alert">
            {wrong}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function needs(component: Component): string {
  return component.min === 0
    ? `It can have ${howMany(component)}; you can add some later.`
    : `It needs ${howMany(component)}.`;
}

function Held({
  name,
  component,
  placed,
  machines,
  onChange,
}: {
  name: string;
  component: Component;
  placed: Placed;
  machines: Machine[];
  onChange: (placed: Placed) => void;
}) {
  const known = placed.allocations.filter((id) => machines.some((each) => each.id === id));
  const rest = machines.filter((each) => !known.includes(each.id));
  const most = component.max ?? machines.length;
  return (
    <Group gap="xs" w="100%" align="flex-end">
      <MultiSelect
        aria-label={`Machines for ${name}`}
        placeholder={known.length > 0 ? undefined : "Choose machines"}
        nothingFoundMessage="No free machine is called that."
        data={machines.map(choice)}
        value={known}
        onChange={(allocations) => onChange({ ...placed, allocations })}
        maxValues={component.max ?? undefined}
        searchable
        clearable
        style={{ flex: "1 1 280px" }}
        maw={720}
      />
      {rest.length > 1 && most > 1 && known.length < most && (
        <Button
          variant="default"
          onClick={() =>
            onChange({
              ...placed,
              allocations: [...known, ...rest.map((each) => each.id)].slice(0, most),
            })
          }
        >
          Take all {Math.min(machines.length, most)}
        </Button>
      )}
    </Group>
  );
}

function New({
  component,
  placed,
  onChange,
}: {
  component: Component;
  placed: Placed;
  onChange: (placed: Placed) => void;
}) {
  const { skuChoices, regionChoices } = useClasses();
  return (
    <Stack gap="sm" w="100%">
      <Group align="flex-start" gap="sm">
        <NumberInput
          label="How many"
          min={Math.max(1, component.min)}
          max={Math.min(component.max ?? 1000, 1000)}
          allowDecimal={false}
          value={placed.count}
          onChange={(value) => onChange({ ...placed, count: Math.max(1, Number(value) || 1) })}
          w={110}
        />
        <Select
          label="Class"
          placeholder="Choose a class"
          data={skuChoices}
          value={placed.sku}
          onChange={(sku) => onChange({ ...placed, sku })}
          style={{ flex: "1 1 260px" }}
          maw={420}
        />
        <Select
          label="Region"
          placeholder="Choose a region"
          data={regionChoices}
          value={placed.region}
          onChange={(region) => onChange({ ...placed, region })}
          style={{ flex: "1 1 160px" }}
          maw={240}
        />
      </Group>
      <Checkbox
        label="Keep the machines when their member goes"
        description="Otherwise they are given back with it."
        checked={placed.keep}
        onChange={(event) => onChange({ ...placed, keep: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function choice(machine: Machine) {
  return { value: machine.id, label: `${machine.name} (${machine.sku}, ${machine.region})` };
}
