/** One instance: what it is, how it fares, and the way to all of its parts. */
import { Alert, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconArchive } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { Ago } from "@/components/Ago";
import { Face } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Status } from "@/components/Status";
import { TabLinks } from "@/components/TabLinks";
import { ask } from "@/lib/api";
import { sentence } from "@/lib/format";
import { useManifest } from "@/lib/instance";
import { stream } from "@/lib/live";
import type { Manifest } from "@/lib/manifest";
import { useThisProject } from "@/lib/me";
import type { Instance } from "@/lib/members";
import { usePath } from "@/lib/paths";

export function InstancePage() {
  const { instance: id = "" } = useParams({ strict: false });
  const found = useQuery(ask("/v1/instances/{instance}", { instance: id }));
  useEffect(() => {
    stream.watch([id]);
    return () => stream.watch([]);
  }, [id]);
  return <Face of={found}>{(instance) => <Frame instance={instance} />}</Face>;
}

function Frame({ instance }: { instance: Instance }) {
  const project = useThisProject();
  const path = usePath();
  const manifest = useManifest(instance);
  return (
    <Page
      title={instance.name}
      crumbs={[{ label: project.name, to: path() }]}
      badges={<States instance={instance} />}
      lead={<Versions instance={instance} manifest={manifest} />}
    >
      <Conditions instance={instance} />
      <TabLinks
        label={`Parts of ${instance.name}`}
        links={tabs(path("instances", instance.id), manifest)}
      />
      <Outlet />
    </Page>
  );
}

function tabs(base: string, manifest: Manifest | null) {
  return [
    { label: "Overview", to: base, exact: true },
    { label: "Members", to: `${base}/members` },
    ...(manifest?.views.length === 0 ? [] : [{ label: "Views", to: `${base}/views` }]),
    ...(manifest?.actions.length === 0 ? [] : [{ label: "Actions", to: `${base}/actions` }]),
    { label: "Operations", to: `${base}/operations` },
    { label: "Configuration", to: `${base}/config` },
    { label: "Versions", to: `${base}/versions` },
    { label: "Access", to: `${base}/access` },
    { label: "Events", to: `${base}/events` },
    { label: "Lifecycle", to: `${base}/lifecycle` },
  ];
}

/** Health says something only of what runs. */
function States({ instance }: { instance: Instance }) {
  const ended = instance.deleted_at !== null || instance.status === "stopped";
  return (
    <Group gap={6}>
      <Status word={instance.status} why={instance.status_reason} />
      {!ended && instance.health !== "unknown" && (
        <Status word={instance.health} why={instance.health_reasons.join(" ") || null} />
      )}
    </Group>
  );
}

function Versions({ instance, manifest }: { instance: Instance; manifest: Manifest | null }) {
  const name = manifest?.name ?? sentence(instance.app_slug);
  return (
    <>
      {name} {instance.app_version}
      {instance.runtime_version && ` · runs ${instance.runtime_version}`}
    </>
  );
}

const ABSENT = "Nobody acts for this instance";

/** What somebody should know on every page of it. */
function Conditions({ instance }: { instance: Instance }) {
  const conditions = instance.conditions.filter(({ status }) => status);
  const unwell = ["degraded", "unhealthy"].includes(instance.health);
  if (instance.deleted_at)
    return (
      <Alert color="gray" icon={<IconArchive aria-hidden />} role="status">
        It was taken down <Ago at={instance.deleted_at} />. What is shown here is how it was.
      </Alert>
    );
  return (
    <>
      {unwell && instance.health_reasons.length > 0 && (
        <Alert
          color={instance.health === "unhealthy" ? "red" : "yellow"}
          icon={<IconAlertTriangle aria-hidden />}
          title={`It is ${instance.health}`}
          role="status"
        >
          <Stack gap={4}>
            {instance.health_reasons.map((reason) => (
              <Text size="sm" key={reason}>
                {reason}
              </Text>
            ))}
          </Stack>
        </Alert>
      )}
      {conditions.map((condition) => (
        <Alert
          key={condition.type}
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={condition.type === "controller_absent" ? ABSENT : sentence(condition.type)}
          role="status"
        >
          <Text size="sm">{condition.reason}</Text>
          {condition.who_acts && (
            <Text size="sm" mt={4}>
              Who can change that: {condition.who_acts}.
            </Text>
          )}
        </Alert>
      ))}
    </>
  );
}
