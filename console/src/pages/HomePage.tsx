/** Where somebody begins: the projects that they have a role in. */
import { Anchor, Group, SimpleGrid, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconDoor, IconShip } from "@tabler/icons-react";
import { Link, Navigate } from "@tanstack/react-router";
import { Empty, Loading } from "@/components/Faces";
import { Page } from "@/components/Page";
import { useMe, useProjects } from "@/lib/me";

export function HomePage() {
  const me = useMe();
  const { projects, isPending } = useProjects();
  const [only] = projects;
  if (isPending) return <Loading />;
  if (only && projects.length === 1)
    return (
      <Navigate
        to="/projects/$org/$project"
        params={{ org: only.org.slug, project: only.slug }}
        replace
      />
    );
  const orgs = [...new Map(projects.map((each) => [each.org.id, each.org])).values()];
  return (
    <Page
      title={`Welcome, ${me.name}`}
      name="Your projects"
      lead="Choose the project you want to work in."
    >
      {projects.length === 0 && (
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
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }}>
            {projects
              .filter((each) => each.org.id === org.id)
              .map((each) => (
                <Anchor
                  key={each.id}
                  underline="never"
                  c="inherit"
                  className="surface"
                  p="md"
                  renderRoot={(props) => (
                    <Link
                      to="/projects/$org/$project"
                      params={{ org: org.slug, project: each.slug }}
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
        </Stack>
      ))}
    </Page>
  );
}
