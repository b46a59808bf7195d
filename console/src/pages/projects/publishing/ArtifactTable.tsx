/** Files that versions are made of: digest, trust, where they are in their life, and what can be done. */
import { Group, Stack, Text } from "@mantine/core";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { CopyCode } from "@/components/Copy";
import { Rows } from "@/components/Rows";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { bytes } from "@/lib/format";
import { useCan } from "@/lib/me";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

type Artifact = Schemas["ArtifactRead"];

export function ArtifactTable({ artifacts, more }: { artifacts: Artifact[]; more: object }) {
  const can = useCan();
  const [open, setOpen] = useSearchParam("open");
  const revoking = artifacts.find((each) => open === `artifact.${each.id}`);
  const columns: Column<Artifact>[] = [
    {
      id: "name",
      title: "Artifact",
      value: (row) => `${row.name} ${row.digest}`,
      show: (row) => (
        <Stack gap={0}>
          <Text size="sm" fw={600}>
            {row.name}
          </Text>
          <CopyCode text={`${row.digest.slice(0, 19)}…`} copies={row.digest} what="the digest" />
        </Stack>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (row) => `${row.lifecycle} ${row.trust}`,
      show: (row) => (
        <Group gap={4} wrap="nowrap">
          <Status word={row.lifecycle} />
          <Status word={row.trust} why={row.trust_reason} />
        </Group>
      ),
    },
    {
      id: "size",
      title: "Size",
      align: "right",
      value: (row) => row.size,
      show: (row) => bytes(row.size),
    },
    {
      id: "since",
      title: "Added",
      value: (row) => row.created_at,
      show: (row) => <Ago at={row.created_at} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => (
        <Verb
          may={all(
            can("catalog.artifact.revoke"),
            row.trust === "revoked" ? no("It is revoked already.") : YES,
          )}
          size="compact-sm"
          variant="default"
          onClick={() => setOpen(`artifact.${row.id}`)}
          aria-label={`Revoke ${row.name}`}
        >
          Revoke
        </Verb>
      ),
    },
  ];
  return (
    <>
      <Rows rows={artifacts} columns={columns} rowKey={(row) => row.id} noun="artifact" {...more} />
      {revoking && <RevokeArtifact artifact={revoking} onClose={() => setOpen("")} />}
    </>
  );
}

function RevokeArtifact({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/artifacts/{artifact}/revoke", {
        params: { path: { artifact: artifact.id } },
        body: { reason },
        headers,
      }),
    { quiet: true, done: `${artifact.name} is revoked`, onDone: onClose },
  );
  return (
    <Ask
      title={`Revoke ${artifact.name}`}
      opened
      onClose={onClose}
      verb="Revoke"
      danger
      reason="required"
      confirm={artifact.name}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(reason) => act.mutate(reason)}
    >
      <Text size="sm">
        Every new use of these bytes is refused, at once and for good. What runs goes on running.
      </Text>
    </Ask>
  );
}
