/** Which version runs, which could, and the way back. */
import { Alert, Button, Group, Modal, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { IconPackage, IconShieldHalf } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Prose } from "@/components/Prose";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { ask, client, type Schemas } from "@/lib/api";
import { all, type May, no, YES } from "@/lib/can";
import { laterThan, mayChange } from "@/lib/changes";
import { kindWords, sentence } from "@/lib/format";
import { useManifest, useThisInstance } from "@/lib/instance";
import { useCan } from "@/lib/me";
import type { Instance } from "@/lib/members";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { ConsentDialog } from "@/pages/projects/entitlements/ConsentDialog";
import { PlanDialog } from "@/pages/projects/instances/PlanDialog";

type Version = Schemas["VersionRead"];
type Revision = Schemas["RevisionRead"];
type Entitlement = Schemas["EntitlementDetail"];

export function VersionsTab() {
  const instance = useThisInstance();
  const can = useCan();
  const entitlement = useEntitlement(instance, can("catalog.entitlement.read").allowed);
  return (
    <Stack gap="lg">
      <Running instance={instance} />
      {entitlement?.waiting && <Waiting instance={instance} entitlement={entitlement} />}
      <Available instance={instance} entitlement={entitlement} />
      <WayBack instance={instance} />
    </Stack>
  );
}

/** What lets the project use the app; null where it cannot be read, or until it is known. */
function useEntitlement(instance: Instance, readable: boolean): Entitlement | null {
  const found = usePages(
    "/v1/projects/{project}/entitlements",
    { project: instance.project_id },
    { app: instance.app_id, limit: 1 },
    { enabled: readable },
  );
  const id = found.items[0]?.id ?? "";
  const detail = useQuery({
    ...ask("/v1/entitlements/{entitlement}", { entitlement: id }),
    enabled: id !== "",
  });
  return detail.data ?? null;
}

function Running({ instance }: { instance: Instance }) {
  const version = useQuery(ask("/v1/app-versions/{version}", { version: instance.version_id }));
  const [open, setOpen] = useSearchParam("runbook");
  return (
    <Section
      title="Running now"
      actions={
        <Button
          variant="default"
          size="xs"
          disabled={!version.data?.runbook}
          onClick={() => setOpen("running")}
        >
          Read its runbook
        </Button>
      }
    >
      <Facts
        columns={4}
        of={[
          ["App version", instance.app_version],
          ["What runs on the members", instance.runtime_version],
          ["Revision", String(instance.revision)],
          ["State of this version", version.data && <VersionState of={version.data} />],
        ]}
      />
      <Modal
        opened={open === "running"}
        onClose={() => setOpen("")}
        size="xl"
        title={<Text fw={650}>Runbook of {instance.app_version}</Text>}
      >
        <Prose text={version.data?.runbook ?? ""} />
      </Modal>
    </Section>
  );
}

function VersionState({ of }: { of: Pick<Version, "status" | "note"> }) {
  return <Status word={of.status} why={of.note} />;
}

function Waiting({ instance, entitlement }: { instance: Instance; entitlement: Entitlement }) {
  const can = useCan();
  const manifest = useManifest(instance);
  const [open, setOpen] = useState(false);
  const app = manifest?.name ?? sentence(instance.app_slug);
  return (
    <Alert
      color="yellow"
      icon={<IconShieldHalf aria-hidden />}
      title={`${app} ${entitlement.waiting?.number} asks for more than was accepted`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          It can be used once somebody has looked at what is new and accepted it.
        </Text>
        <Verb size="xs" may={can("catalog.entitlement.consent")} onClick={() => setOpen(true)}>
          See what is new
        </Verb>
      </Group>
      <ConsentDialog
        entitlement={entitlement.id}
        app={app}
        opened={open}
        onClose={() => setOpen(false)}
      />
    </Alert>
  );
}

function Available({
  instance,
  entitlement,
}: {
  instance: Instance;
  entitlement: Entitlement | null;
}) {
  const can = useCan();
  const versions = usePages("/v1/apps/{app}/versions", { app: instance.app_id }, { limit: 100 });
  const [wanted, setWanted] = useSearchParam("upgrade");
  const may = (version: Version): May =>
    all(upgradable(version, instance), mayChange("instance.upgrade", instance, can));
  const chosen = versions.items.find((each) => each.number === wanted);
  const columns: Column<Version>[] = [
    {
      id: "number",
      title: "Version",
      value: (row) => row.number,
      show: (row) => (
        <Group gap="xs">
          <b>{row.number}</b>
          {row.id === instance.version_id && <Status word="active" label="Runs now" />}
          {row.id !== instance.version_id && row.id === entitlement?.resolved?.id && (
            <Status word="available" label="Newest for this project" />
          )}
        </Group>
      ),
    },
    {
      id: "status",
      title: "State",
      value: (row) => row.status,
      show: (row) => <VersionState of={row} />,
    },
    {
      id: "published",
      title: "Published",
      value: (row) => row.published_at,
      show: (row) => <Ago at={row.published_at} />,
    },
    {
      id: "note",
      title: "Note",
      value: (row) => row.note,
      show: (row) => (
        <Text size="sm" c={row.note ? undefined : "dimmed"}>
          {row.note ?? "–"}
        </Text>
      ),
    },
    {
      id: "verb",
      title: "",
      align: "right",
      show: (row) =>
        row.id !== instance.version_id && (
          <Verb size="xs" variant="default" may={may(row)} onClick={() => setWanted(row.number)}>
            Upgrade
          </Verb>
        ),
    },
  ];
  return (
    <Section
      title="Versions"
      lead={entitlement ? channelWords(entitlement) : "All that are published."}
      flush
    >
      <ListFace
        of={versions}
        empty={<Empty icon={IconPackage} title="You see no version of this app" />}
      >
        {(items) => (
          <Rows
            rows={items.filter((each) => each.status !== "draft")}
            columns={columns}
            rowKey={(row) => row.id}
            noun="version"
            hasMore={versions.hasMore}
            isLoadingMore={versions.isLoadingMore}
            loadMore={versions.loadMore}
          />
        )}
      </ListFace>
      {chosen && may(chosen).allowed && (
        <Upgrade instance={instance} version={chosen} onClose={() => setWanted("")} />
      )}
    </Section>
  );
}

function upgradable(version: Version, instance: Instance): May {
  if (!laterThan(version.number, instance.app_version))
    return no("It is older than what runs. The way back is below.");
  return version.status === "retired" ? no("It has been retired.") : YES;
}

function channelWords({ channel, versions }: Entitlement): string {
  const which = versions === "*" ? "any version" : `versions ${versions}`;
  return channel
    ? `This project follows the channel ${channel}: ${which} that is promoted there.`
    : `This project may use ${which}.`;
}

function Upgrade({
  instance,
  version,
  onClose,
}: {
  instance: Instance;
  version: Version;
  onClose: () => void;
}) {
  const detail = useQuery(ask("/v1/app-versions/{version}", { version: version.id }));
  const config = detail.data?.manifest.config as { schema?: unknown } | undefined;
  return (
    <PlanDialog
      instance={instance}
      title={`Upgrade ${instance.name} to ${version.number}`}
      verb={`Upgrade to ${version.number}`}
      wish={{ kind: "instance.upgrade", version: version.number }}
      reason="none"
      schema={config?.schema}
      onClose={onClose}
      apply={({ plan }, headers) =>
        client.POST("/v1/instances/{instance}/upgrade", {
          params: { path: { instance: instance.id } },
          body: { version: version.number, plan },
          headers,
        })
      }
    >
      <Text size="sm">
        From {instance.app_version} to {version.number}.{version.note ? ` ${version.note}` : ""}
      </Text>
    </PlanDialog>
  );
}

const FIRST = (
  <Text size="sm" c="dimmed" px="md" pb="md">
    Nothing ran before this. After an upgrade or a change of the configuration you can go back here.
  </Text>
);

function WayBack({ instance }: { instance: Instance }) {
  const can = useCan();
  const manifest = useManifest(instance);
  const revisions = usePages(
    "/v1/instances/{instance}/revisions",
    { instance: instance.id },
    { limit: 100 },
  );
  const [wanted, setWanted] = useSearchParam("back");
  const earlier = revisions.items.filter(
    (each) => each.outcome === "applied" && each.number !== instance.revision,
  );
  const may = (to: Revision): May =>
    all(
      to.app_version !== instance.app_version && manifest?.rollback.supported === false
        ? no("This app does not support going back to an earlier version.")
        : YES,
      mayChange("instance.rollback", instance, can),
    );
  const chosen = earlier.find((each) => String(each.number) === wanted);
  const columns: Column<Revision>[] = [
    {
      id: "number",
      title: "Revision",
      value: (row) => row.number,
      show: (row) => <b>{row.number}</b>,
    },
    {
      id: "version",
      title: "Version",
      value: (row) => row.app_version,
      show: (row) => row.app_version,
    },
    {
      id: "what",
      title: "Made by",
      value: (row) => `${kindWords(row.kind)} ${row.created_by_name ?? ""}`,
      show: (row) => (
        <>
          {kindWords(row.kind)}
          {row.created_by_name && `, by ${row.created_by_name}`}
        </>
      ),
    },
    {
      id: "when",
      title: "When",
      value: (row) => row.created_at,
      show: (row) => <Ago at={row.created_at} />,
    },
    {
      id: "verb",
      title: "",
      align: "right",
      show: (row) => (
        <Verb
          size="xs"
          variant="default"
          may={may(row)}
          onClick={() => setWanted(String(row.number))}
        >
          Go back
        </Verb>
      ),
    },
  ];
  return (
    <Section
      title="The way back"
      lead="What ran before. You see what would be lost before you agree to it."
      flush
    >
      <ListFace of={{ ...revisions, items: earlier }} empty={FIRST}>
        {(items) => (
          <Rows
            rows={items}
            columns={columns}
            rowKey={(row) => String(row.number)}
            noun="revision"
            id="back-"
          />
        )}
      </ListFace>
      {chosen && may(chosen).allowed && (
        <Rollback instance={instance} to={chosen} onClose={() => setWanted("")} />
      )}
    </Section>
  );
}

type Policy = Schemas["RollbackWrite"]["policy"];

const POLICIES: { value: Policy; label: string; description: string }[] = [
  {
    value: "wait",
    label: "Wait",
    description: "What runs ends by itself first, however long it takes.",
  },
  {
    value: "deadline",
    label: "Wait, but not for ever",
    description: "What still runs then is ended.",
  },
  { value: "force", label: "At once", description: "What runs is ended now." },
];

function Rollback({
  instance,
  to,
  onClose,
}: {
  instance: Instance;
  to: Revision;
  onClose: () => void;
}) {
  const [policy, setPolicy] = useState<Policy>("wait");
  const [hours, setHours] = useState<number | string>(1);
  return (
    <PlanDialog
      instance={instance}
      title={`Go back to revision ${to.number}`}
      verb="Go back"
      wish={{ kind: "instance.rollback", to_revision: to.number }}
      reason="none"
      danger
      confirm={(plan) => (plan.loses.length > 0 ? instance.name : undefined)}
      onClose={onClose}
      apply={({ plan }, headers) =>
        client.POST("/v1/instances/{instance}/rollback", {
          params: { path: { instance: instance.id } },
          body: {
            plan,
            to_revision: to.number,
            accept_losses: true,
            policy,
            ...(policy === "deadline" ? { deadline: Math.round(Number(hours) * 3600) } : {}),
          },
          headers,
        })
      }
    >
      <Text size="sm">
        {to.app_version === instance.app_version
          ? `Version ${to.app_version} stays; its configuration is again what it was.`
          : `From version ${instance.app_version} back to ${to.app_version}, with the configuration of then.`}
      </Text>
      <Radio.Group
        label="What happens to work that is going on"
        value={policy}
        onChange={(value) => setPolicy(value as Policy)}
      >
        <Stack gap="xs" mt="xs">
          {POLICIES.map((each) => (
            <Radio key={each.value} {...each} />
          ))}
        </Stack>
      </Radio.Group>
      {policy === "deadline" && (
        <NumberInput
          label="Hours to wait"
          min={0.1}
          max={168}
          value={hours}
          onChange={setHours}
          maw={160}
        />
      )}
    </PlanDialog>
  );
}
