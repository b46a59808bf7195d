/** The organisations of the platform. */
import { Text, TextInput } from "@mantine/core";
import { IconBuilding, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { NAMELESS, NameAndSlug, slugIn } from "@/components/NameAndSlug";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { all, type May, may, no, YES } from "@/lib/can";
import { PLATFORM_ORG, useMe } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

type Org = Schemas["OrgRead"];
type What = "rename" | "appoint" | "delete";

export function OrgsPage() {
  const me = useMe();
  const can = (key: string) => may(me, key, { org: PLATFORM_ORG });
  const [making, setMaking] = useSearchParam("new");
  const [open, setOpen] = useState<{ what: What; org: Org } | null>(null);
  const orgs = usePages("/v1/orgs", {}, { limit: 200 });
  const make = (
    <Verb
      may={can("iam.org.create")}
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setMaking("org")}
    >
      New organisation
    </Verb>
  );
  const close = () => setOpen(null);
  return (
    <Page
      title="Organisations"
      lead="Who uses the platform. What happens inside an organisation is its own affair: you see that it is there, not what it holds."
      actions={make}
    >
      <Section flush>
        <ListFace
          of={orgs}
          empty={
            <Empty icon={IconBuilding} title="There are no organisations yet" action={make}>
              Make one, with the e-mail address of its first admin.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns(can, (what, org) => setOpen({ what, org }))}
              rowKey={(org) => org.id}
              noun="organisation"
              {...orgs}
            />
          )}
        </ListFace>
      </Section>
      {making === "org" && <NewOrg onClose={() => setMaking("")} />}
      {open?.what === "rename" && <Rename org={open.org} onClose={close} />}
      {open?.what === "appoint" && <Appoint org={open.org} onClose={close} />}
      {open?.what === "delete" && <Delete org={open.org} onClose={close} />}
    </Page>
  );
}

function columns(can: (key: string) => May, open: (what: What, org: Org) => void): Column<Org>[] {
  return [
    {
      id: "name",
      title: "Name",
      value: (org) => org.name,
      show: (org) => (
        <Text size="sm" fw={600}>
          {org.name}
        </Text>
      ),
    },
    {
      id: "slug",
      title: "Slug",
      value: (org) => org.slug,
      show: (org) => <code>{org.slug}</code>,
    },
    {
      id: "made",
      title: "Made",
      value: (org) => org.created_at,
      show: (org) => <Ago at={org.created_at} />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      width: 60,
      show: (org) => <Verbs org={org} can={can} open={(what) => open(what, org)} />,
    },
  ];
}

function Verbs({
  org,
  can,
  open,
}: {
  org: Org;
  can: (key: string) => May;
  open: (what: What) => void;
}) {
  const own = org.id === PLATFORM_ORG ? no("The platform itself lives here.") : YES;
  return (
    <VerbMenu
      of={org.name}
      verbs={[
        { label: "Rename", may: can("iam.org.update"), onClick: () => open("rename") },
        {
          label: "Appoint an admin (break-glass)",
          may: all(own, can("iam.org.appoint_admin")),
          onClick: () => open("appoint"),
        },
        {
          label: "Delete",
          may: all(own, can("iam.org.delete")),
          onClick: () => open("delete"),
          danger: true,
        },
      ]}
    />
  );
}

function NewOrg({ onClose }: { onClose: () => void }) {
  const [named, setNamed] = useState(NAMELESS);
  const [email, setEmail] = useState("");
  const make = useAct(
    (body: Schemas["OrgCreate"], headers) => client.POST("/v1/orgs", { body, headers }),
    { quiet: true, done: (_, org) => `${org.name} is there.`, onDone: onClose },
  );
  return (
    <Ask
      title="New organisation"
      opened
      onClose={onClose}
      verb="Make it"
      busy={make.isPending}
      refusal={make.error}
      onSubmit={() =>
        make.mutate({ name: named.name.trim(), slug: slugIn(named), admin_email: email.trim() })
      }
    >
      <NameAndSlug value={named} onChange={setNamed} placeholder="Acme Research" />
      <TextInput
        label="E-mail of its first admin"
        description="Who has no account yet gets one; give them a one-time code under Accounts."
        type="email"
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </Ask>
  );
}

interface OfOrg {
  org: Org;
  onClose: () => void;
}

function Rename({ org, onClose }: OfOrg) {
  const [name, setName] = useState(org.name);
  const rename = useAct(
    (body: Schemas["OrgUpdate"], headers) =>
      client.PATCH("/v1/orgs/{org}", {
        params: { path: { org: org.id } },
        body,
        headers: { ...headers, "if-match": `"${org.version}"` },
      }),
    { quiet: true, done: "It has its new name.", onDone: onClose },
  );
  return (
    <Ask
      title={`Rename ${org.name}`}
      opened
      onClose={onClose}
      verb="Rename"
      busy={rename.isPending}
      refusal={rename.error}
      onSubmit={() => rename.mutate({ name: name.trim() })}
    >
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </Ask>
  );
}

function Appoint({ org, onClose }: OfOrg) {
  const [email, setEmail] = useState("");
  const appoint = useAct(
    (body: Schemas["AdminAppoint"], headers) =>
      client.POST("/v1/break-glass/orgs/{org}/admins", {
        params: { path: { org: org.id } },
        body,
        headers,
      }),
    { quiet: true, done: (_, person) => `${person.email} is an admin now.`, onDone: onClose },
  );
  return (
    <Ask
      title={`Appoint an admin of ${org.name}`}
      opened
      onClose={onClose}
      verb="Appoint"
      danger
      reason="required"
      busy={appoint.isPending}
      refusal={appoint.error}
      onSubmit={(reason) => appoint.mutate({ email: email.trim(), reason })}
    >
      <Text size="sm">
        For an organisation that has lost its last admin. Everybody in it sees who did this, and the
        reason.
      </Text>
      <TextInput
        label="E-mail"
        type="email"
        required
        withAsterisk={false}
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </Ask>
  );
}

function Delete({ org, onClose }: OfOrg) {
  const remove = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/orgs/{org}", { params: { path: { org: id } }, headers }),
    { quiet: true, done: `${org.name} is deleted.`, removes: org.id, onDone: onClose },
  );
  return (
    <Ask
      title={`Delete ${org.name}`}
      opened
      onClose={onClose}
      verb="Delete it"
      danger
      confirm={org.slug}
      busy={remove.isPending}
      refusal={remove.error}
      onSubmit={() => remove.mutate(org.id)}
    >
      <Text size="sm">
        An organisation that still has projects is not deleted; the platform then says what is left.
      </Text>
    </Ask>
  );
}
