/** What a project publishes: its apps, their files, the keys that sign them, and who operates them. */
import { Code, Select, Stack, Tabs, Text, Textarea, TextInput } from "@mantine/core";
import { IconFileZip, IconKey, IconRobot, IconUpload } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Lines } from "@/components/Copy";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { sentence } from "@/lib/format";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { ArtifactTable } from "@/pages/projects/publishing/ArtifactTable";

type Visibility = Schemas["AppRead"]["visibility"];

export const SEEN: Record<Visibility, string> = {
  project: "This project alone",
  org: "All projects of the organisation",
  platform: "Everybody on the platform",
};

const PARTS = [
  ["apps", "Apps"],
  ["artifacts", "Artifacts"],
  ["keys", "Signing keys"],
  ["operators", "Operators"],
] as const;

export function PublishingPage() {
  const [part, setPart] = useSearchParam("part", "apps");
  return (
    <Page
      title="Publishing"
      lead="What this project offers to others: its apps, the files that they are made of, and the programs that operate them."
    >
      <Tabs value={part} onChange={(value) => setPart(value ?? "apps")} keepMounted={false}>
        <Tabs.List mb="md" className="tabs">
          {PARTS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="apps">
          <Apps />
        </Tabs.Panel>
        <Tabs.Panel value="artifacts">
          <Artifacts />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <Keys />
        </Tabs.Panel>
        <Tabs.Panel value="operators">
          <Operators />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Apps() {
  const can = useCan();
  const path = usePath();
  const project = useThisProject();
  const [open, setOpen] = useSearchParam("open");
  const apps = usePages("/v1/apps", {}, { project: project.id, limit: 200 });
  const add = (
    <Verb may={can("catalog.app.create")} variant="default" onClick={() => setOpen("app")}>
      Register an app
    </Verb>
  );
  const columns: Column<Schemas["AppRead"]>[] = [
    {
      id: "name",
      title: "App",
      value: (row) => `${row.name} ${row.slug}`,
      show: (row) => (
        <To to={path("publishing", row.slug)} fw={600}>
          {row.name}
        </To>
      ),
    },
    {
      id: "summary",
      title: "In a sentence",
      value: (row) => row.summary,
      show: (row) => row.summary,
    },
    {
      id: "seen",
      title: "Seen by",
      value: (row) => SEEN[row.visibility],
      show: (row) => SEEN[row.visibility],
    },
    {
      id: "since",
      title: "Registered",
      value: (row) => row.created_at,
      show: (row) => <Ago at={row.created_at} />,
    },
  ];
  return (
    <Section title="Apps" actions={apps.items.length > 0 && add} flush>
      <ListFace
        of={apps}
        empty={
          <Empty icon={IconUpload} title="This project publishes no app yet" action={add}>
            <Stack gap="xs">
              <span>
                Register one. Then this command drafts a version from its folder, uploads and signs
                its files, and publishes it:
              </span>
              <Lines text="moor app publish FOLDER --key KEY.pem" what="the command" />
            </Stack>
          </Empty>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={(row) => row.id} noun="app" {...apps} />
        )}
      </ListFace>
      {open === "app" && <AppDialog onClose={() => setOpen("")} />}
    </Section>
  );
}

function AppDialog({ onClose }: { onClose: () => void }) {
  const project = useThisProject();
  const [slug, setSlug] = useState("");
  const [name, setName] = useState("");
  const [summary, setSummary] = useState("");
  const [visibility, setVisibility] = useState<Visibility>("project");
  const act = useAct(
    (given: Schemas["AppCreate"], headers) =>
      client.POST("/v1/projects/{project}/apps", {
        params: { path: { project: project.id } },
        body: given,
        headers,
      }),
    { quiet: true, done: (given) => `${given.name} is registered`, onDone: onClose },
  );
  return (
    <Ask
      title="Register an app"
      opened
      onClose={onClose}
      verb="Register"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ slug, name, summary, visibility })}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <TextInput
        label="Short name"
        description="For addresses and manifests; one on the whole platform, and never another."
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value.trim())}
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

export function SeenBy({
  value,
  onChange,
}: {
  value: Visibility;
  onChange: (value: Visibility) => void;
}) {
  return (
    <Select
      label="Seen by"
      data={Object.entries(SEEN).map(([word, label]) => ({ value: word, label }))}
      value={value}
      onChange={(next) => onChange((next as Visibility) ?? "project")}
      allowDeselect={false}
    />
  );
}

function Artifacts() {
  const project = useThisProject();
  const artifacts = usePages(
    "/v1/projects/{project}/artifacts",
    { project: project.id },
    { limit: 200 },
  );
  return (
    <Section
      title="Artifacts"
      lead="Files that versions are made of, each known by its digest. Whoever runs a version gets exactly these bytes."
      flush
    >
      <ListFace
        of={artifacts}
        empty={
          <Empty icon={IconFileZip} title="Nothing was uploaded yet">
            Files come here with <Code>moor app publish</Code>, or one by one with{" "}
            <Code>moor artifacts upload</Code>.
          </Empty>
        }
      >
        {(items) => <ArtifactTable artifacts={items} more={artifacts} />}
      </ListFace>
    </Section>
  );
}

function Keys() {
  const can = useCan();
  const project = useThisProject();
  const [open, setOpen] = useSearchParam("open");
  const keys = usePages(
    "/v1/projects/{project}/publisher-keys",
    { project: project.id },
    { limit: 200 },
  );
  const revoking = keys.items.find((each) => open === `revoke.${each.id}`);
  const close = () => setOpen("");
  const add = (
    <Verb
      may={can("catalog.publisher_key.create")}
      variant="default"
      onClick={() => setOpen("key")}
    >
      Add a key
    </Verb>
  );
  const columns: Column<Schemas["PublisherKeyRead"]>[] = [
    {
      id: "name",
      title: "Key",
      value: (row) => row.name,
      show: (row) => (
        <Stack gap={0}>
          <Text size="sm" fw={600}>
            {row.name}
          </Text>
          <Code>{row.public_key.x}</Code>
        </Stack>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (row) => (row.revoked ? "revoked" : "active"),
      show: (row) => <Status word={row.revoked ? "revoked" : "active"} />,
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
            can("catalog.publisher_key.revoke"),
            row.revoked ? no("It is revoked already.") : YES,
          )}
          size="compact-sm"
          variant="default"
          onClick={() => setOpen(`revoke.${row.id}`)}
          aria-label={`Revoke ${row.name}`}
        >
          Revoke
        </Verb>
      ),
    },
  ];
  return (
    <Section
      title="Signing keys"
      lead="Public halves of the keys that this project signs artifacts with. Only signed files come to staging and prod."
      actions={keys.items.length > 0 && add}
      flush
    >
      <ListFace
        of={keys}
        empty={
          <Empty icon={IconKey} title="There is no key yet" action={add}>
            Make one with <Code>moor publisher-keys create</Code>: the private half stays with you.
          </Empty>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={(row) => row.id} noun="key" {...keys} />
        )}
      </ListFace>
      {open === "key" && <KeyDialog onClose={close} />}
      {revoking && <RevokeKey publisherKey={revoking} onClose={close} />}
    </Section>
  );
}

function KeyDialog({ onClose }: { onClose: () => void }) {
  const project = useThisProject();
  const [name, setName] = useState("");
  const [x, setX] = useState("");
  const act = useAct(
    (given: Schemas["PublisherKeyCreate"], headers) =>
      client.POST("/v1/projects/{project}/publisher-keys", {
        params: { path: { project: project.id } },
        body: given,
        headers,
      }),
    { quiet: true, done: (given) => `Key ${given.name} added`, onDone: onClose },
  );
  return (
    <Ask
      title="Add a signing key"
      opened
      onClose={onClose}
      verb="Add"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate({ name, public_key: { kty: "OKP", crv: "Ed25519", x: bare(x) } })}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Textarea
        label="Public key"
        description="Ed25519, as a JWK or its x alone. Never the private half."
        value={x}
        onChange={(event) => setX(event.currentTarget.value)}
        autosize
        minRows={2}
        required
      />
    </Ask>
  );
}

/** The x of a JWK, if that is what was pasted. */
function bare(text: string): string {
  return /"x"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? text.trim();
}

function RevokeKey({
  publisherKey,
  onClose,
}: {
  publisherKey: Schemas["PublisherKeyRead"];
  onClose: () => void;
}) {
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/publisher-keys/{publisher_key}/revoke", {
        params: { path: { publisher_key: publisherKey.id } },
        body: { reason },
        headers,
      }),
    { quiet: true, done: `Key ${publisherKey.name} is revoked`, onDone: onClose },
  );
  return (
    <Ask
      title={`Revoke ${publisherKey.name}`}
      opened
      onClose={onClose}
      verb="Revoke"
      danger
      reason="required"
      confirm={publisherKey.name}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(reason) => act.mutate(reason)}
    >
      <Text size="sm">
        What it alone has signed is no longer trusted, at once: nobody can deploy it. What runs goes
        on running. There is no way back.
      </Text>
    </Ask>
  );
}

function Operators() {
  const can = useCan();
  const project = useThisProject();
  const [open, setOpen] = useSearchParam("open");
  const operators = usePages(
    "/v1/projects/{project}/app-operators",
    { project: project.id },
    { limit: 200 },
  );
  const removing = operators.items.find((each) => open === `remove.${each.id}`);
  const close = () => setOpen("");
  const add = (
    <Verb
      may={can("catalog.operator.create")}
      variant="default"
      onClick={() => setOpen("operator")}
    >
      Register an operator
    </Verb>
  );
  const columns: Column<Schemas["AppOperatorRead"]>[] = [
    { id: "name", title: "Operator", value: (row) => row.name, show: (row) => <b>{row.name}</b> },
    {
      id: "app",
      title: "App",
      value: (row) => row.app_slug,
      show: (row) => sentence(row.app_slug),
    },
    {
      id: "serves",
      title: "Serves",
      value: (row) => row.serves,
      show: (row) =>
        row.serves === "publisher" ? "Whoever chooses it" : "Instances of this project",
    },
    {
      id: "listening",
      title: "State",
      value: (row) => (row.listening ? "listens" : "does not listen"),
      show: (row) =>
        row.listening ? (
          <Status word="live" label="Listens" />
        ) : (
          <Status
            word="unreachable"
            label="Does not listen"
            why="Nothing that is asked of its instances is done until it listens."
          />
        ),
    },
    {
      id: "since",
      title: "Registered",
      value: (row) => row.created_at,
      show: (row) => <Ago at={row.created_at} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) => (
        <Verb
          may={can("catalog.operator.delete")}
          size="compact-sm"
          variant="default"
          onClick={() => setOpen(`remove.${row.id}`)}
          aria-label={`Remove ${row.name}`}
        >
          Remove
        </Verb>
      ),
    },
  ];
  return (
    <Section
      title="Operators"
      lead="Programs of this project that carry out what is asked of instances. They can claim work, and nothing else."
      actions={operators.items.length > 0 && add}
      flush
    >
      <ListFace
        of={operators}
        empty={
          <Empty icon={IconRobot} title="No operator is registered" action={add}>
            Make a service account that may only claim operations, then register it for an app.
          </Empty>
        }
      >
        {(items) => (
          <Rows
            rows={items}
            columns={columns}
            rowKey={(row) => row.id}
            noun="operator"
            {...operators}
          />
        )}
      </ListFace>
      {open === "operator" && <OperatorDialog onClose={close} />}
      {removing && <RemoveOperator operator={removing} onClose={close} />}
    </Section>
  );
}

const CLAIM = "apps.operation.claim";

function OperatorDialog({ onClose }: { onClose: () => void }) {
  const project = useThisProject();
  const path = usePath();
  const apps = usePages("/v1/apps", {}, { limit: 200 });
  const accounts = usePages(
    "/v1/projects/{project}/service-accounts",
    { project: project.id },
    { limit: 200 },
  );
  const fit = accounts.items.filter(
    (each) => each.permissions.length === 1 && each.permissions[0] === CLAIM,
  );
  const [app, setApp] = useState<string | null>(null);
  const [account, setAccount] = useState<string | null>(null);
  const [name, setName] = useState("");
  const act = useAct(
    (given: Schemas["AppOperatorCreate"], headers) =>
      client.POST("/v1/projects/{project}/app-operators", {
        params: { path: { project: project.id } },
        body: given,
        headers,
      }),
    { quiet: true, done: (given) => `${given.name} is registered`, onDone: onClose },
  );
  let hint: ReactNode = "One that may claim operations, and nothing else.";
  if (!accounts.isPending && fit.length === 0)
    hint = (
      <>
        None is fit: <To to={path("accounts")}>make one</To> with the permission{" "}
        <Code>{CLAIM}</Code> alone.
      </>
    );
  return (
    <Ask
      title="Register an operator"
      opened
      onClose={onClose}
      verb="Register"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => {
        if (app && account) act.mutate({ app, service_account: account, name });
      }}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Select
        label="App"
        data={apps.items.map((each) => ({ value: each.id, label: each.name }))}
        value={app}
        onChange={(value) => setApp(value)}
        searchable
        required
      />
      <Select
        label="Service account"
        description={hint}
        data={fit.map((each) => ({ value: each.id, label: each.name }))}
        value={account}
        onChange={(value) => setAccount(value)}
        required
      />
    </Ask>
  );
}

function RemoveOperator({
  operator,
  onClose,
}: {
  operator: Schemas["AppOperatorRead"];
  onClose: () => void;
}) {
  const act = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/app-operators/{operator}", {
        params: { path: { operator: id } },
        headers: { ...headers, "if-match": `"${operator.version}"` },
      }),
    { quiet: true, done: `${operator.name} is removed`, removes: operator.id, onDone: onClose },
  );
  return (
    <Ask
      title={`Remove ${operator.name}`}
      opened
      onClose={onClose}
      verb="Remove"
      danger
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate(operator.id)}
    >
      <Text size="sm">
        It can claim nothing more. Instances that it serves have nobody who acts for them until they
        get another operator.
      </Text>
    </Ask>
  );
}
