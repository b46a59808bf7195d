/** Where somebody begins: the projects that they have a role in, and the first steps of a new platform. */
import { Anchor, Group, SimpleGrid, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconBuilding, IconCpu, IconDoor, IconPackages, IconShip } from "@tabler/icons-react";
import { Link, Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty, Loading } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { may } from "@/lib/can";
import { orgsOf, PLATFORM_ORG, type Project, useMe, useProjects } from "@/lib/me";

export function HomePage() {
  const me = useMe();
  const { projects, isPending } = useProjects();
  const runsPlatform = may(me, "iam.org.create", { org: PLATFORM_ORG }).allowed;
  const [only] = projects;
  if (isPending) return <Loading />;
  if (only && projects.length === 1 && !runsPlatform)
    return (
      <Navigate
        to="/projects/$org/$project"
        params={{ org: only.org.slug, project: only.slug }}
        replace
      />
    );
  const orgs = orgsOf(me).filter((org) => org.id !== PLATFORM_ORG);
  return (
    <Page
      title={`Welcome, ${me.name}`}
      name="Your projects"
      lead={projects.length > 0 ? "Choose the project you want to work in." : undefined}
    >
      {runsPlatform && <FirstSteps />}
      {projects.length === 0 && !runsPlatform && orgs.length === 0 && (
        <Empty icon={IconDoor} title="You have no role in any project yet">
          Ask an admin of your organisation to give you one. They find you under the name {me.name}.
        </Empty>
      )}
      {orgs.map((org) => (
        <Stack key={org.id} gap="xs">
          <Group gap="xs">
            <Text fw={650}>{org.name}</Text>
            {org.whole && (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link to="/orgs/$org" params={{ org: org.slug }} {...props} />
                )}
              >
                Manage
              </Anchor>
            )}
          </Group>
          <Projects of={projects.filter((each) => each.org.id === org.id)} />
        </Stack>
      ))}
      {projects
        .filter((each) => each.org.id === PLATFORM_ORG)
        .map((each) => (
          <Projects key={each.id} of={[each]} />
        ))}
    </Page>
  );
}

function Projects({ of }: { of: Project[] }) {
  if (of.length === 0)
    return (
      <Text size="sm" c="dimmed">
        There are no projects yet; “Manage” is where they are made.
      </Text>
    );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }}>
      {of.map((each) => (
        <Anchor
          key={each.id}
          underline="never"
          c="inherit"
          className="surface"
          p="md"
          renderRoot={(props) => (
            <Link
              to="/projects/$org/$project"
              params={{ org: each.org.slug, project: each.slug }}
              {...props}
            />
          )}
        >
          <Group gap="sm" wrap="nowrap">
            <ThemeIcon variant="light" size={38}>
              <IconShip size={20} stroke={1.6} aria-hidden />
            </ThemeIcon>
            <div style={{ minWidth: 0 }}>
              <Text fw={600} truncate>
                {each.name}
              </Text>
              <Text size="sm" c="dimmed" truncate>
                {each.slug}
              </Text>
            </div>
          </Group>
        </Anchor>
      ))}
    </SimpleGrid>
  );
}

/** What makes a platform useful, in order. It stays as the shortest way to these places. */
function FirstSteps() {
  return (
    <Section
      title="Running the platform"
      lead="Three things make it useful: machines, people who use them, and apps to deploy."
    >
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Step
          icon={<IconCpu size={20} stroke={1.6} aria-hidden />}
          to="/platform/nodes"
          title="1. Enrol machines"
          words="Name their class and region, and paste one line on each of them."
        />
        <Step
          icon={<IconBuilding size={20} stroke={1.6} aria-hidden />}
          to="/platform/orgs"
          title="2. Make an organisation"
          words="With the e-mail address of its admin, who makes projects and adds people."
        />
        <Step
          icon={<IconPackages size={20} stroke={1.6} aria-hidden />}
          to="/docs/"
          outside
          title="3. Publish an app"
          words="From a project of its publisher, with moor. The documentation walks through it."
        />
      </SimpleGrid>
    </Section>
  );
}

function Step({
  icon,
  to,
  title,
  words,
  outside = false,
}: {
  icon: ReactNode;
  to: string;
  title: string;
  words: string;
  outside?: boolean;
}) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="light" size={38}>
        {icon}
      </ThemeIcon>
      <div>
        <Anchor
          fw={600}
          renderRoot={(props) =>
            outside ? <a href={to} {...props} /> : <Link to={to} {...props} />
          }
        >
          {title}
        </Anchor>
        <Text size="sm" c="dimmed">
          {words}
        </Text>
      </div>
    </Group>
  );
}
