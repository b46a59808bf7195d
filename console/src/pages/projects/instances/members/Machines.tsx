/** Where new members stand: on machines that the project holds, or on new ones. */
import {
  Input,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import type { Schemas } from "@/lib/api";
import { useClasses } from "@/lib/classes";
import { machineWords, money } from "@/lib/format";

export interface Machines {
  way: "held" | "new";
  held: string[];
  count: number;
  sku: string | null;
  region: string | null;
}

export const NO_MACHINES: Machines = { way: "held", held: [], count: 1, sku: null, region: null };

export function isChosen(machines: Machines): boolean {
  if (machines.way === "held") return machines.held.length > 0;
  return machines.sku !== null && machines.region !== null && machines.count > 0;
}

export function MachinesField({
  value,
  onChange,
  free,
  one = false,
}: {
  value: Machines;
  onChange: (value: Machines) => void;
  free: Schemas["AllocationRead"][];
  /** A single machine is chosen, and not a number of them. */
  one?: boolean;
}) {
  const set = (some: Partial<Machines>) => onChange({ ...value, ...some });
  return (
    <Stack gap="sm">
      <div>
        <Input.Label component="div" mb={4}>
          Machines
        </Input.Label>
        <SegmentedControl
          fullWidth
          aria-label="Machines"
          value={value.way}
          onChange={(way) => set({ way: way as Machines["way"] })}
          data={[
            { value: "held", label: "Machines you hold" },
            { value: "new", label: one ? "A new machine" : "New machines" },
          ]}
        />
      </div>
      {value.way === "held" ? (
        <Held value={value} set={set} free={free} one={one} />
      ) : (
        <New value={value} set={set} one={one} />
      )}
    </Stack>
  );
}

interface Part {
  value: Machines;
  set: (some: Partial<Machines>) => void;
  one: boolean;
}

function Held({ value, set, free, one }: Part & { free: Schemas["AllocationRead"][] }) {
  if (free.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Every machine of this project is in use. Let the platform allocate new ones, or get some
        under Machines.
      </Text>
    );
  const data = free.map((row) => ({
    value: row.id,
    label: machineWords(row) + (row.instance_id ? ", beside another member" : ""),
  }));
  if (one)
    return (
      <Select
        label="Machine"
        placeholder="Choose one"
        searchable
        data={data}
        value={value.held[0] ?? null}
        onChange={(chosen) => set({ held: chosen ? [chosen] : [] })}
      />
    );
  return (
    <MultiSelect
      label="One member on each of"
      placeholder={value.held.length === 0 ? "Choose machines" : undefined}
      searchable
      clearable
      data={data}
      value={value.held}
      onChange={(held) => set({ held })}
    />
  );
}

function New({ value, set, one }: Part) {
  const { skus, skuChoices, regionChoices } = useClasses();
  const sku = skus.find(({ slug }) => slug === value.sku);
  const count = one ? 1 : value.count;
  return (
    <>
      {!one && (
        <NumberInput
          label="How many"
          value={value.count}
          onChange={(count) => set({ count: Number(count) || 0 })}
          min={1}
          max={1000}
          w={140}
        />
      )}
      <Select
        label="Kind of machine"
        placeholder="Choose one"
        data={skuChoices}
        value={value.sku}
        onChange={(sku) => set({ sku })}
      />
      <Select
        label="Where"
        placeholder="Choose a region"
        data={regionChoices}
        value={value.region}
        onChange={(region) => set({ region })}
      />
      {sku && (
        <Text size="sm" c="dimmed">
          About {money(sku.price_micros * count, sku.currency)} more an hour for as long as{" "}
          {count === 1 ? "it is" : "they are"} held. An estimate.
        </Text>
      )}
    </>
  );
}
