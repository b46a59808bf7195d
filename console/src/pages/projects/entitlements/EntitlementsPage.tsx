/** Which apps the project may use, in which versions, and which of them wait for consent. */
import { Group, Select, Stack, Text } from "@mantine/core";
import { IconCertificate } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { AsksFor } from "@/components/AsksFor";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To, ToButton } from "@/components/To";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { ConsentDialog } from "@/pages/projects/entitlements/ConsentDialog";
import { Constraint, channelWords } from "@/pages/projects/entitlements/EntitleDialog";

type Held = Schemas["EntitlementRead"];
type Channel = Schemas["ChannelRead"]["channel"];

interface Row extends Held {
  name: string;
  detail: Schemas["EntitlementDetail"] | undefined;
}

export function EntitlementsPage() {
  const project = useThisProject();
  const path = usePath();
  const held = usePages(
    "/v1/projects/{project}/entitlements",
    { project: project.id },
    { limit: 200 },
  );
  return (
    <Page
      title="Entitlements"
      lead="The apps that this project may use, and what was accepted with them."
      actions={
        <ToButton variant="default" to={path("catalog")}>
          Browse the catalog
        </ToButton>
      }
    >
      <Section flush>
        <ListFace
          of={held}
          empty={
            <Empty
              icon={IconCertificate}
              title="This project may use no app yet"
              action={<ToButton to={path("catalog")}>Browse the catalog</ToButton>}
            >
              Choose an app there, read what it asks for, and allow it for this project.
            </Empty>
          }
        >
          {(items) => <Table held={items} />}
        </ListFace>
      </Section>
    </Page>
  );
}

function Table({ held }: { held: Held[] }) {
  const path = usePath();
  const details = useQueries({
    queries: held.map((each) => ask("/v1/entitlements/{entitlement}", { entitlement: each.id })),
  });
  const rows: Row[] = held.map((each, at) => ({
    ...each,
    name: each.app_name ?? each.app_slug,
    detail: details[at]?.data,
  }));
  const [open, setOpen] = useSearchParam("open");
  const [id, verb] = open.split(".");
  const chosen = rows.find((each) => each.id === id);
  const columns: Column<Row>[] = [
    {
      id: "app",
      title: "App",
      value: (row) => row.name,
      show: (row) => (
        <To to={path("catalog", row.app_slug)} fw={600}>
          {row.name}
        </To>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (row) => (row.enabled ? "on" : "off"),
      show: (row) => <Standing row={row} onConsent={() => setOpen(`${row.id}.consent`)} />,
    },
    {
      id: "uses",
      title: "Version now",
      value: (row) => row.detail?.resolved?.number ?? "",
      show: (row) => row.detail?.resolved?.number ?? "–",
    },
    {
      id: "which",
      title: "Follows",
      value: (row) => row.channel ?? "newest",
      show: (row) => (
        <>
          {channelWords(row.channel)}
          {row.versions !== "*" && (
            <Text size="xs" c="dimmed">
              only {row.versions}
            </Text>
          )}
        </>
      ),
    },
    {
      id: "accepted",
      title: "Accepted",
      value: (row) => row.accepted_at,
      show: (row) => (
        <>
          <Ago at={row.accepted_at} />
          {row.accepted_by_name && (
            <Text size="xs" c="dimmed">
              by {row.accepted_by_name}
            </Text>
          )}
        </>
      ),
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => <More row={row} onChoose={(what) => setOpen(`${row.id}.${what}`)} />,
    },
  ];
  const close = () => setOpen("");
  return (
    <>
      <Rows rows={rows} columns={columns} rowKey={(row) => row.id} noun="entitlement" />
      {chosen && verb === "consent" && (
        <ConsentDialog entitlement={chosen.id} app={chosen.name} opened onClose={close} />
      )}
      {chosen && verb === "change" && <ChangeDialog row={chosen} onClose={close} />}
      {chosen && verb === "switch" && <SwitchDialog row={chosen} onClose={close} />}
      {chosen && verb === "remove" && <RemoveDialog row={chosen} onClose={close} />}
    </>
  );
}

function Standing({ row, onConsent }: { row: Row; onConsent: () => void }) {
  const can = useCan();
  if (!row.enabled) return <Status word="stopped" label="Switched off" />;
  return (
    <Group gap="xs">
      {row.detail && !row.detail.resolved ? (
        <Status word="blocked" label="No version to use" />
      ) : (
        <Status word="enabled" label="In use" />
      )}
      {row.detail?.waiting && (
        <Verb
          may={can("catalog.entitlement.consent")}
          size="compact-xs"
          color="yellow"
          variant="light"
          onClick={onConsent}
        >
          {row.detail.waiting.number} waits for consent
        </Verb>
      )}
    </Group>
  );
}

/** What can be done with one, behind three dots; what may not be done says why. */
function More({ row, onChoose }: { row: Row; onChoose: (what: string) => void }) {
  const can = useCan();
  const update = can("catalog.entitlement.update");
  return (
    <VerbMenu
      of={row.name}
      verbs={[
        { label: "Change versions", may: update, onClick: () => onChoose("change") },
        {
          label: row.enabled ? "Switch off" : "Switch on",
          may: update,
          onClick: () => onChoose("switch"),
        },
        {
          label: "Remove",
          may: can("catalog.entitlement.delete"),
          danger: true,
          onClick: () => onChoose("remove"),
        },
      ]}
    />
  );
}

function useUpdate(row: Row, done: string, onClose: () => void) {
  return useAct(
    (given: Schemas["EntitlementUpdate"], headers) =>
      client.PATCH("/v1/entitlements/{entitlement}", {
        params: { path: { entitlement: row.id } },
        body: given,
        headers: { ...headers, "if-match": `"${row.version}"` },
      }),
    { quiet: true, done, onDone: onClose },
  );
}

function ChangeDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: row.app_id }));
  const [channel, setChannel] = useState<string>(row.channel ?? "none");
  const [versions, setVersions] = useState(row.versions);
  const act = useUpdate(row, `Versions of ${row.name} changed`, onClose);
  // What is chosen may lead to a version that asks for more: it is shown, and accepted along with the change.
  const asksMore = act.error?.code === "consent_needed";
  const offer = useQuery({
    ...ask(
      "/v1/projects/{project}/offers/{app}",
      { project: row.project_id, app: row.app_id },
      { ...(channel === "none" ? {} : { channel: channel as Channel }), versions },
    ),
    enabled: asksMore,
  });
  const choose =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      act.reset();
    };
  return (
    <Ask
      title={`Versions of ${row.name}`}
      opened
      onClose={onClose}
      verb={asksMore ? "Accept and change" : "Change"}
      size={asksMore ? "lg" : undefined}
      busy={act.isPending || (asksMore && !offer.data)}
      refusal={asksMore ? null : act.error}
      onSubmit={() =>
        act.mutate({
          channel: channel as Schemas["EntitlementUpdate"]["channel"],
          versions,
          ...(asksMore ? { consent: offer.data?.consent } : {}),
        })
      }
    >
      <Text size="sm" c="dimmed">
        Running instances stay as they are. This says what the next deployment and the next upgrade
        use.
      </Text>
      <Select
        label="Follows"
        data={[
          { value: "none", label: channelWords(null) },
          ...["dev", "staging", "prod"].map((each) => {
            const now = channels.data?.items.find((one) => one.channel === each);
            return {
              value: each,
              label: `${channelWords(each)} (${now ? `now ${now.number}` : "nothing yet"})`,
            };
          }),
        ]}
        value={channel}
        onChange={(value) => choose(setChannel)(value ?? "none")}
        allowDeselect={false}
      />
      <Constraint value={versions} onChange={choose(setVersions)} />
      {asksMore && (
        <Face of={offer} rows={4}>
          {(found) => (
            <Stack gap="xs">
              <Text fw={600}>Version {found.version.number} asks for more than was accepted:</Text>
              <AsksFor declaration={found.declaration} />
            </Stack>
          )}
        </Face>
      )}
    </Ask>
  );
}

function SwitchDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const act = useUpdate(
    row,
    row.enabled ? `${row.name} is switched off here` : `${row.name} is switched on again`,
    onClose,
  );
  return (
    <Ask
      title={row.enabled ? `Switch ${row.name} off` : `Switch ${row.name} on`}
      opened
      onClose={onClose}
      verb={row.enabled ? "Switch off" : "Switch on"}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ enabled: !row.enabled })}
    >
      <Text size="sm">
        {row.enabled
          ? "Nothing new can be deployed, added or upgraded with it. What runs goes on running, and can always be made smaller or taken away."
          : "It can be deployed, grown and upgraded again, with what was accepted before."}
      </Text>
    </Ask>
  );
}

function RemoveDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const act = useAct(
    (entitlement: string, headers) =>
      client.DELETE("/v1/entitlements/{entitlement}", {
        params: { path: { entitlement } },
        headers: { ...headers, "if-match": `"${row.version}"` },
      }),
    {
      quiet: true,
      done: `${row.name} is no longer for this project`,
      removes: row.id,
      onDone: onClose,
    },
  );
  return (
    <Ask
      title={`Take ${row.name} away from this project`}
      opened
      onClose={onClose}
      verb="Remove"
      danger
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate(row.id)}
    >
      <Stack gap="xs">
        <Text size="sm">
          The permissions that people hold by it are gone at once. What runs goes on running, and
          can be taken away; nothing new can be deployed.
        </Text>
      </Stack>
    </Ask>
  );
}
