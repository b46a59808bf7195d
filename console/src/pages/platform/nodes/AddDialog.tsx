/** Announcing a machine: what it is called, what it should be, and how it is reached. */
import { Group, NumberInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { useClasses } from "@/lib/classes";
import { labelsOf } from "@/pages/platform/nodes/words";

type Reach = NonNullable<Schemas["NodeCreate"]["reach"]>;

export function AddDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (node: Schemas["NodeRead"]) => void;
}) {
  const { skuChoices, regionChoices } = useClasses();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<{ sku?: string; region?: string }>({});
  const [reach, setReach] = useState<Reach>("agent");
  const [address, setAddress] = useState("");
  const [port, setPort] = useState(22);
  const [labels, setLabels] = useState("");
  const sku = chosen.sku ?? skuChoices[0]?.value ?? null;
  const region = chosen.region ?? regionChoices[0]?.value ?? null;
  const act = useAct(
    (given: Schemas["NodeCreate"], headers) => client.POST("/v1/nodes", { body: given, headers }),
    { quiet: true, done: (given) => `${given.name} is announced`, onDone },
  );
  const fault = (field: string) =>
    act.error?.faults.find((each) => each.location === `body.${field}`)?.message;
  return (
    <Ask
      title="Add a node"
      opened
      onClose={onClose}
      verb="Add"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => {
        if (!sku || !region) return;
        act.mutate({
          name,
          sku,
          region,
          reach,
          address: address || null,
          ssh_port: reach === "ssh" ? port : null,
          labels: labelsOf(labels) as never,
        });
      }}
    >
      <TextInput
        label="Name"
        description="Small letters, digits, dashes and dots."
        value={name}
        onChange={(event) => setName(event.currentTarget.value.trim())}
        error={fault("name")}
        autoComplete="off"
        required
      />
      <Select
        label="Class"
        description="When the host enrols, it is held against this."
        data={skuChoices}
        value={sku}
        onChange={(value) => setChosen({ ...chosen, sku: value ?? undefined })}
        allowDeselect={false}
        nothingFoundMessage="Make a class of machines first."
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
        <Select
          label="Reached by"
          data={[
            { value: "agent", label: "The agent on it" },
            { value: "ssh", label: "SSH, without agent" },
          ]}
          value={reach}
          onChange={(value) => setReach((value as Reach) ?? "agent")}
          allowDeselect={false}
        />
      </Group>
      {reach === "ssh" && (
        <Group grow align="flex-start">
          <TextInput
            label="Address"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value.trim())}
            error={fault("address")}
            required
          />
          <NumberInput
            label="Port"
            min={1}
            max={65535}
            value={port}
            onChange={(value) => setPort(Number(value) || 22)}
          />
        </Group>
      )}
      <TextInput
        label="Labels"
        description="For your own order, such as rack=a1 row=2."
        value={labels}
        onChange={(event) => setLabels(event.currentTarget.value)}
        error={fault("labels")}
        autoComplete="off"
      />
    </Ask>
  );
}
