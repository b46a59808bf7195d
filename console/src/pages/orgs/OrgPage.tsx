/** An organisation and its projects. */
import { Anchor, Text, TextInput } from "@mantine/core";
import { IconPlus, IconShip } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
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
import { may } from "@/lib/can";
import { type Org, useMe, useThisOrg } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

type Project = Schemas["ProjectRead"];

export function OrgPage() {
  const org = useThisOrg();
  const me = useMe();
  const can = (key: string) => may(me, key, { org: org.id });
  const [making, setMaking] = useSearchParam("new");
  const [open, setOpen] = useState<{ what: "rename" | "delete"; project: Project } | null>(null);
  const projects = usePages("/v1/orgs/{org}/projects", { org: org.id }, { limit: 200 });
  const make = (
    <Verb
      may={can("iam.project.create")}
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setMaking("project")}
    >
      New project
    </Verb>
  );
  const close = () => setOpen(null);
  return (
    <Page
      title={org.name}
      lead="The projects of the organisation. Machines, instances and people’s roles belong to a project."
      actions={projects.items.length > 0 && make}
    >
      <Section title="Projects" flush>
        <ListFace
          of={projects}
          empty={
            <Empty icon={IconShip} title="There are no projects yet" action={make}>
              Make one for each team or purpose, then add its people.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns(org, can, setOpen)}
              rowKey={(project) => project.id}
              noun="project"
              {...projects}
            />
          )}
        </ListFace>
      </Section>
      {making === "project" && <NewProject org={org} onClose={() => setMaking("")} />}
      {open?.what === "rename" && <Rename project={open.project} onClose={close} />}
      {open?.what === "delete" && <Delete project={open.project} onClose={close} />}
    </Page>
  );
}

function columns(
  org: Org,
  can: (key: string) => ReturnType<typeof may>,
  open: (what: { what: "rename" | "delete"; project: Project }) => void,
): Column<Project>[] {
  const [rename, remove] = [can("iam.project.update"), can("iam.project.delete")];
  return [
    {
      id: "name",
      title: "Name",
      value: (project) => project.name,
      show: (project) => (
        <Anchor
          size="sm"
          fw={600}
          renderRoot={(props) => (
            <Link
              to="/projects/$org/$project"
              params={{ org: org.slug, project: project.slug }}
              {...props}
            />
          )}
        >
          {project.name}
        </Anchor>
      ),
    },
    {
      id: "slug",
      title: "Slug",
      value: (project) => project.slug,
      show: (project) => <code>{project.slug}</code>,
    },
    {
      id: "made",
      title: "Made",
      value: (project) => project.created_at,
      show: (project) => <Ago at={project.created_at} />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      width: 60,
      show: (project) => (
        <VerbMenu
          of={project.name}
          verbs={[
            { label: "Rename", may: rename, onClick: () => open({ what: "rename", project }) },
            {
              label: "Delete",
              may: remove,
              danger: true,
              onClick: () => open({ what: "delete", project }),
            },
          ]}
        />
      ),
    },
  ];
}

function NewProject({ org, onClose }: { org: Org; onClose: () => void }) {
  const [named, setNamed] = useState(NAMELESS);
  const make = useAct(
    (body: Schemas["ProjectCreate"], headers) =>
      client.POST("/v1/orgs/{org}/projects", { params: { path: { org: org.id } }, body, headers }),
    { quiet: true, done: (_, project) => `${project.name} is there.`, onDone: onClose },
  );
  return (
    <Ask
      title={`New project in ${org.name}`}
      opened
      onClose={onClose}
      verb="Make it"
      busy={make.isPending}
      refusal={make.error}
      onSubmit={() => make.mutate({ name: named.name.trim(), slug: slugIn(named) })}
    >
      <NameAndSlug value={named} onChange={setNamed} placeholder="Research" />
    </Ask>
  );
}

function Rename({ project, onClose }: { project: Project; onClose: () => void }) {
  const [name, setName] = useState(project.name);
  const rename = useAct(
    (body: Schemas["ProjectUpdate"], headers) =>
      client.PATCH("/v1/projects/{project}", {
        params: { path: { project: project.id } },
        body,
        headers: { ...headers, "if-match": `"${project.version}"` },
      }),
    { quiet: true, done: "It has its new name.", onDone: onClose },
  );
  return (
    <Ask
      title={`Rename ${project.name}`}
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

function Delete({ project, onClose }: { project: Project; onClose: () => void }) {
  const remove = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/projects/{project}", { params: { path: { project: id } }, headers }),
    { quiet: true, done: `${project.name} is deleted.`, removes: project.id, onDone: onClose },
  );
  return (
    <Ask
      title={`Delete ${project.name}`}
      opened
      onClose={onClose}
      verb="Delete it"
      danger
      confirm={project.slug}
      busy={remove.isPending}
      refusal={remove.error}
      onSubmit={() => remove.mutate(project.id)}
    >
      <Text size="sm">
        Its service accounts, roles and entitlements go with it. A project that still runs instances
        or holds machines is not deleted; the platform then says which.
      </Text>
    </Ask>
  );
}
