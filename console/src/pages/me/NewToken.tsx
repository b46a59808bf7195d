/** Making a personal access token: a name, an end, a place, and as little power as will do. */
import { Code, Input, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { Keys } from "@/components/Keys";
import { Once } from "@/components/Once";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { type Org, orgsOf, type Project, useMe, useProjects } from "@/lib/me";
import { LIFETIMES } from "@/pages/me/tokens";

export function NewToken({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const { projects } = useProjects();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<string | null>("2592000");
  const [place, setPlace] = useState<string | null>("");
  const [power, setPower] = useState("all");
  const [permissions, setPermissions] = useState<string[]>([]);
  const [secret, setSecret] = useState<string | null>(null);
  const make = useAct(
    (body: Schemas["AccessTokenCreate"], headers) =>
      client.POST("/v1/access-tokens", { body, headers }),
    { quiet: true, onDone: (issued) => setSecret(issued.token) },
  );
  const project = projects.find((each) => each.id === place);
  const submit = () =>
    make.mutate({
      name: name.trim(),
      expires_in: Number(lifetime),
      permissions: power === "all" ? null : permissions,
      org: project?.org.id ?? (place || null),
      project: project?.id ?? null,
    });
  if (secret)
    return (
      <Once title="Your new token" secret={secret} what="the token" onClose={onClose}>
        <Text size="sm">
          Put it into <Code>MOOR_TOKEN</Code> for <Code>moor</Code>, or send it as{" "}
          <Code>Authorization: Bearer …</Code>
        </Text>
      </Once>
    );
  return (
    <Ask
      title="Make a token"
      opened
      onClose={onClose}
      onSubmit={submit}
      verb="Make it"
      size="lg"
      busy={make.isPending}
      refusal={make.error}
    >
      <TextInput
        label="Name"
        description="So that you know later what it was for."
        placeholder="Laptop, nightly report"
        required
        withAsterisk={false}
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Ends after"
        allowDeselect={false}
        data={LIFETIMES}
        value={lifetime}
        onChange={setLifetime}
      />
      <Select
        label="Where it can be used"
        allowDeselect={false}
        searchable
        value={place}
        onChange={setPlace}
        data={[
          { value: "", label: "Everywhere that you have a role" },
          { group: "One organisation", items: orgsOf(me).map(orgChoice) },
          { group: "One project", items: projects.map(projectChoice) },
        ]}
      />
      <Stack gap={6}>
        <Input.Label labelElement="div" id="token-power">
          What it may do
        </Input.Label>
        <SegmentedControl
          aria-labelledby="token-power"
          value={power}
          onChange={setPower}
          data={[
            { value: "all", label: "All that I may" },
            { value: "some", label: "Only what I choose" },
          ]}
        />
        {power === "some" && (
          <Keys
            label="Permissions"
            offered={ownKeys(me, project ? project.id : null)}
            value={permissions}
            onChange={setPermissions}
          />
        )}
      </Stack>
    </Ask>
  );
}

const orgChoice = (org: Org) => ({ value: org.id, label: org.name });
const projectChoice = (project: Project) => ({
  value: project.id,
  label: `${project.org.name} / ${project.name}`,
});

/** A token cannot hold what its owner lacks. */
function ownKeys(me: Schemas["MeRead"], project: string | null): string[] {
  const grants = me.grants.filter(
    (grant) => project === null || grant.project_id === null || grant.project_id === project,
  );
  return [...new Set(grants.flatMap((grant) => grant.permissions))];
}
