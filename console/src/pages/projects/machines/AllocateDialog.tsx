/** Asking for machines: how many, of which class, where. The platform chooses them. */
import { Group, NumberInput, Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { useClasses } from "@/lib/classes";
import { money, plural } from "@/lib/format";
import { useThisProject } from "@/lib/me";

export function AllocateDialog({
  opened,
  onClose,
  onDone,
}: {
  opened: boolean;
  onClose: () => void;
  onDone?: (got: Schemas["AllocationRead"][]) => void;
}) {
  const project = useThisProject();
  const { skus, skuChoices, regionChoices } = useClasses();
  const [chosen, setChosen] = useState<{ sku?: string; region?: string }>({});
  const [count, setCount] = useState(1);
  const [name, setName] = useState("");
  const sku = chosen.sku ?? skuChoices[0]?.value ?? null;
  const region = chosen.region ?? regionChoices[0]?.value ?? null;
  const act = useAct(
    (given: Schemas["AllocationRequest"], headers) =>
      client.POST("/v1/projects/{project}/allocations", {
        params: { path: { project: project.id } },
        headers,
        body: given,
      }),
    {
      quiet: true,
      done: (_, got) => `${plural(got.allocations.length, "machine")} asked for`,
      onDone: (got) => {
        onClose();
        onDone?.(got.allocations);
      },
    },
  );
  const picked = skus.find((each) => each.slug === sku);
  return (
    <Ask
      title="Get machines"
      opened={opened}
      onClose={onClose}
      verb={count === 1 ? "Get the machine" : `Get ${count} machines`}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => {
        if (sku && region)
          act.mutate({
            sku,
            region,
            count,
            strategy: "spread",
            name: count === 1 && name ? name : null,
            metadata: {},
          });
      }}
    >
      <Text size="sm" c="dimmed">
        The platform chooses free machines of the class and makes them ready. You get all that you
        ask for, or none.
      </Text>
      <Select
        label="Class"
        data={skuChoices}
        value={sku}
        onChange={(value) => setChosen({ ...chosen, sku: value ?? undefined })}
        allowDeselect={false}
        searchable={skuChoices.length > 8}
        required
      />
      <Group grow align="flex-start">
        <Select
          label="Region"
          data={regionChoices}
          value={region}
          onChange={(value) => setChosen({ ...chosen, region: value ?? undefined })}
          allowDeselect={false}
          required
        />
        <NumberInput
          label="How many"
          min={1}
          max={100}
          allowDecimal={false}
          value={count}
          onChange={(value) => setCount(Math.max(1, Number(value) || 1))}
          required
        />
      </Group>
      {count === 1 && (
        <TextInput
          label="Name"
          description="What you want to call it. The platform names it if you do not."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      {picked && (
        <Text size="sm">
          About <b>{money(picked.price_micros * count, picked.currency)}</b> an hour while you hold{" "}
          {count === 1 ? "it" : "them"}: the list price, an estimate.
        </Text>
      )}
    </Ask>
  );
}
