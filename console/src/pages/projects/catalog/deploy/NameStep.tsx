/** What the instance is called, and which version of the app it runs. */
import { Alert, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Section } from "@/components/Section";
import type { Schemas } from "@/lib/api";
import { useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { nameFault } from "@/pages/projects/catalog/deploy/draft";
import { Feet } from "@/pages/projects/catalog/deploy/Feet";
import type { StepProps } from "@/pages/projects/catalog/deploy/props";

export function NameStep({
  draft,
  onChange,
  go,
  standing,
  version,
  versions,
  channels,
  faults,
}: StepProps) {
  const project = useThisProject();
  const there = usePages(
    "/v1/projects/{project}/instances",
    { project: project.id },
    { limit: 200 },
  );
  const [left, setLeft] = useState(draft.name !== "");
  const taken = there.items.some((each) => each.name === draft.name);
  const wrong =
    nameFault(draft.name) ??
    (taken ? "This project has an instance of this name already." : null) ??
    faults.find((each) => each.location === "body.name")?.message ??
    null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setLeft(true);
        if (!wrong) go("placement");
      }}
    >
      <Section>
        <Stack gap="md" maw={520}>
          <TextInput
            label="Name"
            description="What you and others will call it. It cannot be changed later."
            placeholder="for example: blue"
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.currentTarget.value.trim() })}
            onBlur={() => setLeft(draft.name !== "")}
            error={left ? wrong : null}
            autoComplete="off"
            data-autofocus
            required
          />
          <Select
            label="Version"
            description="Channels follow what the publisher promotes; a version stays the same."
            data={choices(standing.version, versions, channels)}
            value={draft.release === "" ? "entitlement" : draft.release}
            onChange={(value) =>
              onChange({ ...draft, release: value === "entitlement" ? "" : (value ?? "") })
            }
            allowDeselect={false}
            error={faults.find((each) => /^body\.(version|channel)/.test(each.location))?.message}
          />
          {version.status === "deprecated" && (
            <Alert color="yellow" title="Its publisher advises against this version">
              {version.note}
            </Alert>
          )}
        </Stack>
      </Section>
      <Feet next="Next: machines" />
    </form>
  );
}

function choices(
  entitled: Schemas["EntitledVersion"] | null,
  versions: Schemas["VersionRead"][],
  channels: Schemas["ChannelRead"][],
) {
  const groups = [
    {
      group: "Recommended",
      items: entitled
        ? [
            {
              value: "entitlement",
              label: `${entitled.number}, as this project's entitlement says`,
            },
          ]
        : [],
    },
    {
      group: "Channels",
      items: channels.map((each) => ({
        value: `channel:${each.channel}`,
        label: `${each.channel} (now ${each.number})`,
      })),
    },
    {
      group: "Versions",
      items: versions.map((each) => ({
        value: `version:${each.number}`,
        label: each.status === "deprecated" ? `${each.number} (deprecated)` : each.number,
      })),
    },
  ];
  return groups.filter((each) => each.items.length > 0);
}
