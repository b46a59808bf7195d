/** The service accounts of a project: for pipelines and controllers that act by themselves. */
import { Anchor, Text, TextInput } from "@mantine/core";
import { IconPlus, IconRobot } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { Keys } from "@/components/Keys";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { plural } from "@/lib/format";
import { type Project, useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { useGrantable } from "@/pages/projects/accounts/grantable";

type Account = Schemas["ServiceAccountRead"];

export function AccountsPage() {
  const project = useThisProject();
  const can = useCan();
  const [making, setMaking] = useSearchParam("new");
  const accounts = usePages(
    "/v1/projects/{project}/service-accounts",
    { project: project.id },
    { limit: 200 },
  );
  const make = (
    <Verb
      may={can("iam.service_account.create")}
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setMaking("account")}
    >
      New service account
    </Verb>
  );
  return (
    <Page
      title="Service accounts"
      lead="For pipelines, scripts and controllers that act by themselves. Each may do exactly what you list, in this project alone."
      actions={accounts.items.length > 0 && make}
    >
      <Section flush>
        <ListFace
          of={accounts}
          empty={
            <Empty icon={IconRobot} title="There are no service accounts yet" action={make}>
              Make one for each thing that acts by itself, so that each can be stopped alone.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns(project)}
              rowKey={(account) => account.id}
              noun="service account"
              {...accounts}
            />
          )}
        </ListFace>
      </Section>
      {making === "account" && <NewAccount project={project} onClose={() => setMaking("")} />}
    </Page>
  );
}

function columns(project: Project): Column<Account>[] {
  return [
    {
      id: "name",
      title: "Name",
      value: (account) => account.name,
      show: (account) => (
        <Anchor
          size="sm"
          fw={600}
          renderRoot={(props) => (
            <Link
              to="/projects/$org/$project/accounts/$account"
              params={{ org: project.org.slug, project: project.slug, account: account.id }}
              {...props}
            />
          )}
        >
          {account.name}
        </Anchor>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (account) => (account.disabled ? "Disabled" : "Enabled"),
      show: (account) => <Status word={account.disabled ? "disabled" : "enabled"} />,
    },
    {
      id: "may",
      title: "What it may do",
      value: (account) => account.permissions.length,
      show: (account) => plural(account.permissions.length, "permission"),
    },
    {
      id: "made",
      title: "Made",
      value: (account) => account.created_at,
      show: (account) => <Ago at={account.created_at} />,
    },
  ];
}

function NewAccount({ project, onClose }: { project: Project; onClose: () => void }) {
  const navigate = useNavigate();
  const offered = useGrantable();
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState<string[]>([]);
  const make = useAct(
    (body: Schemas["ServiceAccountCreate"], headers) =>
      client.POST("/v1/projects/{project}/service-accounts", {
        params: { path: { project: project.id } },
        body,
        headers,
      }),
    {
      quiet: true,
      done: (_, account) => `${account.name} is there. Give it a key or a secret next.`,
      onDone: (account) =>
        void navigate({
          to: "/projects/$org/$project/accounts/$account",
          params: { org: project.org.slug, project: project.slug, account: account.id },
        }),
    },
  );
  return (
    <Ask
      title="New service account"
      opened
      onClose={onClose}
      onSubmit={() => make.mutate({ name: name.trim(), permissions })}
      verb="Make it"
      size="lg"
      busy={make.isPending}
      refusal={make.error}
    >
      <TextInput
        label="Name"
        placeholder="nightly-report"
        required
        withAsterisk={false}
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Keys
        label="What it may do"
        description="Nothing else. You can change this later."
        offered={offered}
        value={permissions}
        onChange={setPermissions}
      />
      {permissions.length === 0 && (
        <Text size="xs" c="dimmed">
          Without any permission it can do nothing.
        </Text>
      )}
    </Ask>
  );
}
