/** One app of a publisher: its versions and their states, where each is promoted to, and how it is shown. */
import {
  Badge,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  TextInput,
} from "@mantine/core";
import { IconArrowUpRight, IconHistory, IconPackage } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Lines } from "@/components/Copy";
import { Empty, Face, Failed, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To, ToButton } from "@/components/To";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { ask, client, Refusal, type Schemas } from "@/lib/api";
import { all } from "@/lib/can";
import { bytes } from "@/lib/format";
import { useCan } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { useAppOf } from "@/pages/projects/catalog/offers";
import { SEEN, SeenBy } from "@/pages/projects/publishing/PublishingPage";
import {
  CHANNELS,
  type Channel,
  may,
  VERBS,
  type VersionVerb,
} from "@/pages/projects/publishing/versions";

type App = Schemas["AppRead"];
type Version = Schemas["VersionRead"];

export function PublishedAppPage() {
  const { app: slug = "" } = useParams({ strict: false });
  const found = useAppOf(slug);
  if (found.app) return <Shown app={found.app} />;
  if (found.data) return <Failed error={new Refusal(404, {})} />;
  return <Face of={found}>{() => null}</Face>;
}

function Shown({ app }: { app: App }) {
  const can = useCan();
  const path = usePath();
  const [part, setPart] = useSearchParam("part", "versions");
  const [open, setOpen] = useSearchParam("open");
  return (
    <Page
      title={app.name}
      crumbs={[{ label: "Publishing", to: path("publishing") }]}
      lead={`${app.summary} Seen by: ${SEEN[app.visibility].toLowerCase()}.`}
      actions={
        <>
          <ToButton
            variant="default"
            to={path("catalog", app.slug)}
            rightSection={<IconArrowUpRight size={15} aria-hidden />}
          >
            As others see it
          </ToButton>
          <Verb may={can("catalog.app.update")} variant="default" onClick={() => setOpen("app")}>
            Change
          </Verb>
        </>
      }
    >
      <Channels app={app} onPromote={(channel) => setOpen(`promote.${channel}`)} />
      <Tabs value={part} onChange={(value) => setPart(value ?? "versions")} keepMounted={false}>
        <Tabs.List mb="md" className="tabs">
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="history">Promotions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="versions">
          <Versions app={app} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History app={app} />
        </Tabs.Panel>
      </Tabs>
      {open === "app" && <ChangeApp key={app.version} app={app} onClose={() => setOpen("")} />}
      {open.startsWith("promote.") && (
        <PromoteDialog app={app} channel={open.slice(8) as Channel} onClose={() => setOpen("")} />
      )}
    </Page>
  );
}

/** Where each channel points now, and the way to point it elsewhere. */
function Channels({ app, onPromote }: { app: App; onPromote: (channel: Channel) => void }) {
  const can = useCan();
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: app.id })).data?.items ?? [];
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {CHANNELS.map((name) => {
        const now = channels.find((each) => each.channel === name);
        return (
          <Stack key={name} className="surface" p="md" gap={6}>
            <Group justify="space-between">
              <Text size="xs" c="dimmed" fw={600}>
                {name}
              </Text>
              <Verb
                may={can("catalog.version.promote")}
                size="compact-xs"
                variant="default"
                onClick={() => onPromote(name)}
                aria-label={`Promote to ${name}`}
              >
                Promote
              </Verb>
            </Group>
            <Text fz={20} fw={650}>
              {now?.number ?? "Nothing"}
            </Text>
            <Text size="xs" c="dimmed">
              {now ? (
                <>
                  since <Ago at={now.updated_at} />
                </>
              ) : (
                "No version is promoted here."
              )}
            </Text>
          </Stack>
        );
      })}
    </SimpleGrid>
  );
}

function PromoteDialog({
  app,
  channel,
  onClose,
}: {
  app: App;
  channel: Channel;
  onClose: () => void;
}) {
  const versions = usePages(
    "/v1/apps/{app}/versions",
    { app: app.id },
    { status: "published", limit: 200 },
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const version = chosen ?? versions.items[0]?.id ?? null;
  const act = useAct(
    (given: Schemas["PromotionCreate"], headers) =>
      client.POST("/v1/apps/{app}/promotions", {
        params: { path: { app: app.id } },
        body: given,
        headers,
      }),
    {
      quiet: true,
      done: (_, got) => `${channel} is ${got.number ?? "empty"} now`,
      onDone: onClose,
    },
  );
  return (
    <Ask
      title={`Promote to ${channel}`}
      opened
      onClose={onClose}
      verb="Promote"
      reason="optional"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(reason) => {
        if (version) act.mutate({ channel, version, reason: reason || null });
      }}
    >
      <Text size="sm" c="dimmed">
        Whoever follows this channel deploys this version next, and may upgrade to it. What runs
        stays as it is. To go back, promote an older one.
        {channel !== "dev" && " All files of the version have to be signed."}
      </Text>
      <Select
        label="Version"
        data={versions.items.map((each) => ({ value: each.id, label: each.number }))}
        value={version}
        onChange={(value) => setChosen(value)}
        allowDeselect={false}
        placeholder={versions.items.length === 0 ? "No version is published" : undefined}
      />
    </Ask>
  );
}

function Versions({ app }: { app: App }) {
  const can = useCan();
  const [open, setOpen] = useSearchParam("open");
  const versions = usePages("/v1/apps/{app}/versions", { app: app.id }, { limit: 200 });
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: app.id })).data?.items ?? [];
  const on = (id: string) =>
    channels.filter((each) => each.version_id === id).map((each) => each.channel);
  const [id, verb] = open.split(".");
  const chosen = versions.items.find((each) => each.id === id);
  const close = () => setOpen("");
  const columns: Column<Version>[] = [
    {
      id: "number",
      title: "Version",
      value: (row) => row.number,
      show: (row) => (
        <Button
          variant="transparent"
          size="compact-sm"
          px={0}
          onClick={() => setOpen(`${row.id}.look`)}
        >
          {row.number}
        </Button>
      ),
    },
    {
      id: "status",
      title: "State",
      value: (row) => row.status,
      show: (row) => <Status word={row.status} why={row.note} />,
    },
    {
      id: "channels",
      title: "Channels",
      value: (row) => on(row.id).join(" "),
      show: (row) => (
        <Group gap={4} wrap="nowrap">
          {on(row.id).map((each) => (
            <Badge key={each} color="gray">
              {each}
            </Badge>
          ))}
        </Group>
      ),
    },
    { id: "note", title: "Note", value: (row) => row.note, show: (row) => row.note ?? "–" },
    {
      id: "at",
      title: "Published",
      value: (row) => row.published_at,
      show: (row) => <Ago at={row.published_at} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => (
        <VerbMenu
          of={row.number}
          verbs={(Object.keys(VERBS) as VersionVerb[]).map((each) => ({
            label: VERBS[each].label,
            danger: VERBS[each].danger,
            may: all(can(VERBS[each].permission), may(row.status, each, on(row.id))),
            onClick: () => setOpen(`${row.id}.${each}`),
          }))}
        />
      ),
    },
  ];
  return (
    <Section flush>
      <ListFace
        of={versions}
        empty={
          <Empty icon={IconPackage} title="There is no version yet">
            <Stack gap="xs">
              <span>Draft one from the folder of its manifest:</span>
              <Lines text="moor app publish FOLDER --key KEY.pem" what="the command" />
            </Stack>
          </Empty>
        }
      >
        {(items) => (
          <Rows
            rows={items}
            columns={columns}
            rowKey={(row) => row.id}
            noun="version"
            {...versions}
          />
        )}
      </ListFace>
      {chosen && verb === "look" && <LookDialog version={chosen} onClose={close} />}
      {chosen && verb && verb in VERBS && (
        <VerbDialog version={chosen} verb={verb as VersionVerb} onClose={close} />
      )}
    </Section>
  );
}

function VerbDialog({
  version,
  verb,
  onClose,
}: {
  version: Version;
  verb: VersionVerb;
  onClose: () => void;
}) {
  const { label, what, danger, says } = VERBS[verb];
  const act = useAct(
    (words: string, headers) => {
      const params = { path: { version: version.id } };
      if (verb === "publish")
        return client.POST("/v1/app-versions/{version}/publish", {
          params,
          body: { manifest_digest: version.manifest_digest },
          headers,
        });
      if (verb === "deprecate")
        return client.POST("/v1/app-versions/{version}/deprecate", {
          params,
          body: { note: words },
          headers,
        });
      if (verb === "restore")
        return client.POST("/v1/app-versions/{version}/restore", { params, headers });
      return client.POST("/v1/app-versions/{version}/retire", {
        params,
        body: { reason: words },
        headers,
      });
    },
    { quiet: true, done: `${label}: ${version.number}`, onDone: onClose },
  );
  return (
    <Ask
      title={`${label} ${version.number}`}
      opened
      onClose={onClose}
      verb={label}
      danger={danger}
      reason={says ? "required" : "none"}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(words) => act.mutate(words)}
    >
      <Text size="sm">{what}</Text>
    </Ask>
  );
}

/** What a version is made of, and whether its files can be trusted. */
function LookDialog({ version, onClose }: { version: Version; onClose: () => void }) {
  const detail = useQuery(ask("/v1/app-versions/{version}", { version: version.id }));
  const columns: Column<Schemas["VersionArtifact"]>[] = [
    { id: "name", title: "File", value: (row) => row.name, show: (row) => row.name },
    {
      id: "trust",
      title: "Trust",
      value: (row) => row.trust,
      show: (row) =>
        row.trust ? <Status word={row.trust} /> : <Text size="sm">Looked up when published</Text>,
    },
    {
      id: "size",
      title: "Size",
      align: "right",
      value: (row) => row.size,
      show: (row) => bytes(row.size),
    },
  ];
  return (
    <Ask
      title={`Version ${version.number}`}
      opened
      size="xl"
      onClose={onClose}
      onSubmit={onClose}
      verb="Close"
    >
      <Face of={detail}>
        {(found) => (
          <Stack gap="md">
            {found.artifacts.length > 0 && (
              <Rows
                id="f"
                rows={found.artifacts}
                columns={columns}
                rowKey={(row) => row.name}
                noun="file"
              />
            )}
            <div>
              <Text size="xs" c="dimmed" fw={600} mb={4}>
                Manifest
              </Text>
              <Lines text={found.manifest_text} what="the manifest" maxHeight={360} />
            </div>
          </Stack>
        )}
      </Face>
    </Ask>
  );
}

function History({ app }: { app: App }) {
  const moves = usePages("/v1/apps/{app}/promotions", { app: app.id }, { limit: 100 });
  const columns: Column<Schemas["PromotionRead"]>[] = [
    {
      id: "what",
      title: "What",
      value: (row) => `${row.channel} ${row.number ?? ""}`,
      show: (row) => (
        <Text size="sm">
          <b>{row.channel}</b> {row.number ? `became ${row.number}` : "was cleared"}
        </Text>
      ),
    },
    {
      id: "who",
      title: "By",
      value: (row) => row.actor_name,
      show: (row) => row.actor_name ?? "–",
    },
    { id: "why", title: "Reason", value: (row) => row.reason, show: (row) => row.reason ?? "–" },
    { id: "at", title: "When", value: (row) => row.at, show: (row) => <Ago at={row.at} /> },
    {
      id: "trace",
      title: "",
      align: "right",
      show: (row) =>
        row.correlation_id && <To to={`/triage/${row.correlation_id}`}>What happened?</To>,
    },
  ];
  return (
    <Section flush>
      <ListFace
        of={moves}
        empty={
          <Empty icon={IconHistory} title="Nothing was promoted yet">
            Promote a version to a channel, and those who follow the channel get it.
          </Empty>
        }
      >
        {(items) => (
          <Rows
            id="h"
            rows={items}
            columns={columns}
            rowKey={(row) => row.id}
            noun="promotion"
            {...moves}
          />
        )}
      </ListFace>
    </Section>
  );
}

function ChangeApp({ app, onClose }: { app: App; onClose: () => void }) {
  const [name, setName] = useState(app.name);
  const [summary, setSummary] = useState(app.summary);
  const [visibility, setVisibility] = useState(app.visibility);
  const act = useAct(
    (given: Schemas["AppUpdate"], headers) =>
      client.PATCH("/v1/apps/{app}", {
        params: { path: { app: app.id } },
        body: given,
        headers: { ...headers, "if-match": `"${app.version}"` },
      }),
    { quiet: true, done: `${name} changed`, onDone: onClose },
  );
  return (
    <Ask
      title={`Change ${app.name}`}
      opened
      onClose={onClose}
      verb="Save"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ name, summary, visibility })}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <TextInput
        label="In a sentence"
        value={summary}
        onChange={(event) => setSummary(event.currentTarget.value)}
        maxLength={200}
        required
      />
      <SeenBy value={visibility} onChange={setVisibility} />
    </Ask>
  );
}
