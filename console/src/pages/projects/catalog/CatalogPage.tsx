/** What can be deployed here. */
import {
  Avatar,
  Badge,
  CloseButton,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPackages, IconSearch } from "@tabler/icons-react";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { To, ToButton } from "@/components/To";
import type { Schemas } from "@/lib/api";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import { useSearchParam } from "@/lib/search";
import { type Standing, useMayDeploy, useStanding } from "@/pages/projects/catalog/offers";

export function CatalogPage() {
  const apps = usePages("/v1/apps", {}, { limit: 200 });
  const path = usePath();
  return (
    <Page title="Catalog" lead="Apps that you can run on the machines of this project.">
      <ListFace
        of={apps}
        empty={
          <Empty
            icon={IconPackages}
            title="The catalog is empty"
            action={<ToButton to={path("publishing")}>Publish an app</ToButton>}
          >
            Nobody has published an app that this project can see. Those who run the platform can
            publish one, and so can you.
          </Empty>
        }
      >
        {(items) => <Cards apps={items} />}
      </ListFace>
    </Page>
  );
}

function Cards({ apps }: { apps: Schemas["AppRead"][] }) {
  const [words, setWords] = useSearchParam("q");
  const wanted = words.toLowerCase().split(/\s+/);
  const shown = apps.filter((app) =>
    wanted.every((word) => `${app.name} ${app.slug} ${app.summary}`.toLowerCase().includes(word)),
  );
  return (
    <Stack gap="md">
      {(apps.length > 6 || words) && (
        <TextInput
          aria-label="Filter apps"
          placeholder="Filter apps"
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={
            words && (
              <CloseButton size="sm" aria-label="Clear the filter" onClick={() => setWords("")} />
            )
          }
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          maw={320}
        />
      )}
      {shown.length === 0 && <Text c="dimmed">No app has “{words}” in it.</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {shown.map((app) => (
          <Card key={app.id} app={app} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Card({ app }: { app: Schemas["AppRead"] }) {
  const path = usePath();
  const standing = useStanding(app);
  const publisher = app.publisher_name;
  const facts = [
    publisher && `by ${publisher}`,
    standing.version && `version ${standing.version.number}`,
  ].filter(Boolean);
  return (
    <Stack className="surface" component="article" p="md" gap="sm" justify="space-between">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Mark name={app.name} />
        <div style={{ minWidth: 0 }}>
          <To to={path("catalog", app.slug)} fw={650} fz="lg" c="inherit">
            {app.name}
          </To>
          {standing.isPending ? (
            <Skeleton height={14} width={120} mt={4} />
          ) : (
            <Text size="sm" c="dimmed">
              {facts.join(" · ")}
            </Text>
          )}
        </div>
      </Group>
      <Text size="sm" style={{ flexGrow: 1 }}>
        {app.summary}
      </Text>
      <Group justify="space-between" mih={36}>
        {standing.isPending ? <span /> : <Next app={app} standing={standing} />}
      </Group>
    </Stack>
  );
}

function Next({ app, standing }: { app: Schemas["AppRead"]; standing: Standing }) {
  const path = usePath();
  const { state } = standing;
  const may = useMayDeploy(standing.entitlement);
  const about = path("catalog", app.slug);
  if (state === "usable")
    return (
      <>
        <Badge color="teal">This project may use it</Badge>
        <ToButton
          may={may}
          to={path("catalog", app.slug, "deploy")}
          aria-label={`Deploy ${app.name}`}
        >
          Deploy
        </ToButton>
      </>
    );
  const [badge, verb] = {
    off: ["Switched off for this project", "See why"],
    waiting: ["Waits for consent", "See what it asks for"],
    asking: ["Not entitled yet", "See what it asks for"],
    empty: ["Nothing published yet", "Look"],
  }[state] as [string, string];
  return (
    <>
      <Badge color={state === "asking" || state === "empty" ? "gray" : "yellow"}>{badge}</Badge>
      <ToButton variant="default" to={about} aria-label={`${verb}: ${app.name}`}>
        {verb}
      </ToButton>
    </>
  );
}

/** The first letters of an app's name, always in the same colour. */
export function Mark({ name, size = 42 }: { name: string; size?: number }) {
  return (
    <Avatar
      name={name}
      color="initials"
      allowedInitialsColors={["harbour", "teal", "violet", "indigo"]}
      radius="md"
      size={size}
      aria-hidden
    >
      {name.slice(0, 2)}
    </Avatar>
  );
}
