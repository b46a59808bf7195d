/** Entitling the project to an app: which versions, and consent to what they ask for. */
import { Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { AsksFor } from "@/components/AsksFor";
import { Face } from "@/components/Faces";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import { useThisProject } from "@/lib/me";

type Channel = Schemas["ChannelRead"]["channel"];

const NEWEST = "newest";

export function channelWords(channel: string | null): string {
  return channel === null ? "The newest published version" : `What is promoted to ${channel}`;
}

export function EntitleDialog({
  app,
  opened,
  onClose,
}: {
  app: Schemas["AppRead"];
  opened: boolean;
  onClose: () => void;
}) {
  const project = useThisProject();
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: app.id }));
  const [channel, setChannel] = useState<Channel | null>(null);
  const [versions, setVersions] = useState("*");
  const offer = useQuery(
    ask(
      "/v1/projects/{project}/offers/{app}",
      { project: project.id, app: app.id },
      { ...(channel ? { channel } : {}), ...(versions !== "*" ? { versions } : {}) },
    ),
  );
  const act = useAct(
    (given: Schemas["EntitlementCreate"], headers) =>
      client.POST("/v1/projects/{project}/entitlements", {
        params: { path: { project: project.id } },
        body: given,
        headers,
      }),
    { quiet: true, done: `${project.name} may use ${app.name} now`, onDone: onClose },
  );
  return (
    <Ask
      title={`Let ${project.name} use ${app.name}`}
      size="lg"
      opened={opened}
      onClose={onClose}
      verb="Accept and allow"
      busy={act.isPending || !offer.data}
      refusal={act.error}
      onSubmit={() => {
        if (offer.data) act.mutate({ app: app.id, channel, versions, consent: offer.data.consent });
      }}
    >
      <Select
        label="Which versions"
        data={[
          { value: NEWEST, label: channelWords(null) },
          ...(channels.data?.items ?? []).map((each) => ({
            value: each.channel,
            label: `${channelWords(each.channel)} (now ${each.number})`,
          })),
        ]}
        value={channel ?? NEWEST}
        onChange={(value) => setChannel(value === NEWEST ? null : (value as Channel))}
        allowDeselect={false}
      />
      <Constraint value={versions} onChange={setVersions} />
      <Face of={offer} rows={4}>
        {(found) => (
          <Stack gap="xs">
            <Text fw={600}>What version {found.version.number} asks for</Text>
            <AsksFor declaration={found.declaration} />
          </Stack>
        )}
      </Face>
    </Ask>
  );
}

/** A constraint takes effect when it is left, not with each letter. */
export function Constraint({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  return (
    <TextInput
      label="Only versions like"
      description="* for all, ^1.2 for 1.2 and later 1.x, ~1.2.3 for 1.2.3 and later 1.2.x, 1.2.3 for that one."
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        const wanted = typed.trim() || "*";
        if (wanted !== value) onChange(wanted);
      }}
      autoComplete="off"
    />
  );
}
