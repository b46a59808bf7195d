/** One app of the catalog: what it is, what it asks for, its versions, and how it is run. */
import { Alert, Badge, Group, Stack, Table, Tabs, Text } from "@mantine/core";
import { IconBook2, IconPackage } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Ago } from "@/components/Ago";
import { AsksFor } from "@/components/AsksFor";
import { Empty, Face, Failed, ListFace, Loading } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Line, Prose } from "@/components/Prose";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { ToButton } from "@/components/To";
import { Verb } from "@/components/Verb";
import { ask, Refusal, type Schemas } from "@/lib/api";
import { sentence } from "@/lib/format";
import { howMany, type JsonSchema, manifestOf } from "@/lib/manifest";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { Mark } from "@/pages/projects/catalog/CatalogPage";
import {
  type Standing,
  useAppOf,
  useMayDeploy,
  useStanding,
} from "@/pages/projects/catalog/offers";
import { ConsentDialog } from "@/pages/projects/entitlements/ConsentDialog";
import { channelWords, EntitleDialog } from "@/pages/projects/entitlements/EntitleDialog";

type App = Schemas["AppRead"];

export function AppPage() {
  const { app: slug = "" } = useParams({ strict: false });
  const found = useAppOf(slug);
  if (found.app) return <About app={found.app} />;
  if (found.data) return <Failed error={new Refusal(404, {})} />;
  return <Face of={found}>{() => null}</Face>;
}

function About({ app }: { app: App }) {
  const path = usePath();
  const standing = useStanding(app);
  const [part, setPart] = useSearchParam("part", "about");
  const [open, setOpen] = useSearchParam("open");
  const close = () => setOpen("");
  return (
    <Page
      title={
        <Group gap="sm" wrap="nowrap">
          <Mark name={app.name} size={36} />
          {app.name}
        </Group>
      }
      name={app.name}
      crumbs={[{ label: "Catalog", to: path("catalog") }]}
      lead={app.summary}
      actions={<Actions app={app} standing={standing} onOpen={setOpen} />}
    >
      <Hint standing={standing} />
      <Tabs value={part} onChange={(value) => setPart(value ?? "about")} keepMounted={false}>
        <Tabs.List mb="md" className="tabs">
          <Tabs.Tab value="about">About</Tabs.Tab>
          <Tabs.Tab value="asks">What it asks for</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="runbook">Runbook</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="versions">
          <Versions app={app} />
        </Tabs.Panel>
        {part !== "versions" && <OfVersion app={app} standing={standing} />}
      </Tabs>
      {open === "entitle" && <EntitleDialog app={app} opened onClose={close} />}
      {open === "consent" && standing.entitlement && (
        <ConsentDialog
          entitlement={standing.entitlement.id}
          app={app.name}
          opened
          onClose={close}
        />
      )}
    </Page>
  );
}

function Actions({
  app,
  standing,
  onOpen,
}: {
  app: App;
  standing: Standing;
  onOpen: (what: string) => void;
}) {
  const can = useCan();
  const path = usePath();
  const mayDeploy = useMayDeploy(standing.entitlement);
  if (standing.isPending) return null;
  const waits = standing.entitlement?.waiting;
  return (
    <>
      {waits && (
        <Verb
          may={can("catalog.entitlement.consent")}
          variant="light"
          color="yellow"
          onClick={() => onOpen("consent")}
        >
          Read what {waits.number} asks for
        </Verb>
      )}
      {standing.state === "asking" && (
        <Verb may={can("catalog.entitlement.create")} onClick={() => onOpen("entitle")}>
          Allow it for this project
        </Verb>
      )}
      {standing.state === "usable" && (
        <ToButton may={mayDeploy} to={path("catalog", app.slug, "deploy")}>
          Deploy
        </ToButton>
      )}
    </>
  );
}

/** What stands between the person and a deployment. */
function Hint({ standing }: { standing: Standing }) {
  const can = useCan();
  if (standing.isPending || standing.state === "usable") return null;
  const mayEntitle = can("catalog.entitlement.create").allowed;
  const words = {
    off: "The entitlement of this project to it is switched off.",
    waiting: `Version ${standing.entitlement?.waiting?.number} asks for more than was accepted. Somebody has to accept it first.`,
    asking: mayEntitle
      ? "This project may not use it yet. Read what it asks for, then allow it."
      : "This project may not use it yet. An admin of your organisation can allow it.",
    empty: "Its publisher has published no version that this project can use.",
  }[standing.state];
  return <Alert color="yellow">{words}</Alert>;
}

/** What a version says: the one that this project would get. */
function OfVersion({ app, standing }: { app: App; standing: Standing }) {
  const id = standing.version?.id ?? standing.entitlement?.waiting?.id ?? "";
  const version = useQuery({
    ...ask("/v1/app-versions/{version}", { version: id }),
    enabled: id !== "",
  });
  if (standing.isPending) return <Loading />;
  if (!id)
    return (
      <Empty icon={IconPackage} title="Nothing is published yet">
        What the app is made of stands here once its publisher has published a version.
      </Empty>
    );
  return (
    <Face of={version}>
      {(found) => (
        <>
          <Tabs.Panel value="about">
            <Overview app={app} version={found} standing={standing} />
          </Tabs.Panel>
          <Tabs.Panel value="asks">
            <Asks app={app} standing={standing} version={found} />
          </Tabs.Panel>
          <Tabs.Panel value="runbook">
            <Section>
              {found.runbook ? (
                <Prose text={found.runbook} />
              ) : (
                <Empty icon={IconBook2} title={`Version ${found.number} has no runbook`} />
              )}
            </Section>
          </Tabs.Panel>
        </>
      )}
    </Face>
  );
}

function Overview({
  app,
  version,
  standing,
}: {
  app: App;
  version: Schemas["VersionDetail"];
  standing: Standing;
}) {
  const publisher = app.publisher_name;
  const { components, config, actions, views, rollback } = manifestOf(version);
  return (
    <Stack gap="md">
      <Section>
        <Facts
          columns={4}
          of={[
            ["Version", version.number],
            ["Published", <Ago key="at" at={version.published_at} />],
            ...(publisher ? [["Publisher", publisher] as [string, string]] : []),
            [
              "This project follows",
              standing.entitlement ? channelWords(standing.entitlement.channel) : null,
            ],
            ["Can go back after an upgrade", rollback.supported ? "Yes" : "No"],
          ]}
        />
      </Section>
      <Section
        title="Components"
        lead="The parts that it is made of. Each member is one of them."
        flush
      >
        <Table.ScrollContainer minWidth={420}>
          <Table className="rows">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Component</Table.Th>
                <Table.Th>How many</Table.Th>
                <Table.Th>What it does</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {Object.entries(components).map(([key, each]) => (
                <Table.Tr key={key}>
                  <Table.Td fw={600}>{sentence(key)}</Table.Td>
                  <Table.Td style={{ whiteSpace: "nowrap" }}>{sentence(howMany(each))}</Table.Td>
                  <Table.Td>
                    <Line text={each.description ?? "–"} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Section>
      {(actions.length > 0 || views.length > 0) && (
        <Section title="What you can do with it">
          <Stack gap="sm">
            <Words title="Actions" of={actions.map((each) => each.title)} />
            <Words title="Views" of={views.map((each) => each.title)} />
          </Stack>
        </Section>
      )}
      {config && <Config schema={config.schema} />}
    </Stack>
  );
}

function Words({ title, of }: { title: string; of: string[] }) {
  if (of.length === 0) return null;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed" w={60} style={{ flexShrink: 0 }}>
        {title}
      </Text>
      <Group gap={6}>
        {of.map((word) => (
          <Badge key={word} color="gray" size="lg" fw={500}>
            {word}
          </Badge>
        ))}
      </Group>
    </Group>
  );
}

function Config({ schema }: { schema: JsonSchema }) {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return null;
  return (
    <Section title="What you can set" flush>
      <Table.ScrollContainer minWidth={420}>
        <Table className="rows">
          <Table.Tbody>
            {fields.map(([name, field]) => (
              <Table.Tr key={name}>
                <Table.Td fw={600} style={{ whiteSpace: "nowrap", verticalAlign: "top" }}>
                  {field.title ?? sentence(name)}
                </Table.Td>
                <Table.Td>
                  <Line text={field.description ?? "–"} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

function Asks({
  app,
  standing,
  version,
}: {
  app: App;
  standing: Standing;
  version: Schemas["VersionDetail"];
}) {
  const project = useThisProject();
  const entitlement = standing.entitlement?.id;
  const diff = useQuery({
    ...ask(
      "/v1/entitlements/{entitlement}/diff",
      { entitlement: entitlement ?? "" },
      { version: version.id },
    ),
    enabled: entitlement !== undefined,
  });
  const offer = useQuery({
    ...ask("/v1/projects/{project}/offers/{app}", { project: project.id, app: app.id }),
    enabled: entitlement === undefined,
  });
  return (
    <Section title={`What version ${version.number} asks for`}>
      {entitlement ? (
        <Face of={diff}>{(found) => <AsksFor declaration={found.declaration} />}</Face>
      ) : (
        <Face of={offer}>{(found) => <AsksFor declaration={found.declaration} />}</Face>
      )}
    </Section>
  );
}

function Versions({ app }: { app: App }) {
  const versions = usePages("/v1/apps/{app}/versions", { app: app.id }, { limit: 200 });
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: app.id })).data?.items ?? [];
  const on = (id: string) => channels.filter((each) => each.version_id === id);
  const columns: Column<Schemas["VersionRead"]>[] = [
    {
      id: "number",
      title: "Version",
      value: (row) => row.number,
      show: (row) => <b>{row.number}</b>,
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
      value: (row) =>
        on(row.id)
          .map((each) => each.channel)
          .join(" "),
      show: (row) => (
        <Group gap={4}>
          {on(row.id).map((each) => (
            <Badge key={each.channel} color="gray">
              {each.channel}
            </Badge>
          ))}
        </Group>
      ),
    },
    { id: "note", title: "Note", value: (row) => row.note, show: (row) => row.note ?? "–" },
    {
      id: "published",
      title: "Published",
      value: (row) => row.published_at,
      show: (row) => <Ago at={row.published_at} />,
    },
  ];
  return (
    <Section flush>
      <ListFace of={versions} empty={<Empty icon={IconPackage} title="Nothing is published yet" />}>
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
    </Section>
  );
}
