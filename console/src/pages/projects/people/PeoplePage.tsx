/** Who works in a project. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Page } from "@/components/Page";
import { client } from "@/lib/api";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { Members } from "@/pages/projects/people/Members";

export function PeoplePage() {
  const project = useThisProject();
  const can = useCan();
  const people = usePages(
    "/v1/projects/{project}/memberships",
    { project: project.id },
    { limit: 200 },
  );
  return (
    <Page title="People" lead={`Who has a role in ${project.name}, and what it lets them do.`}>
      <Members
        place={{
          level: "project",
          called: "this project",
          org: project.org.id,
          can,
          people,
          add: (body, headers) =>
            client.POST("/v1/projects/{project}/memberships", {
              params: { path: { project: project.id } },
              body,
              headers,
            }),
        }}
      />
      <Text size="sm" c="dimmed">
        Admins of the organisation {project.org.name} can work here too.{" "}
        {project.org.whole && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/orgs/$org/people" params={{ org: project.org.slug }} {...props} />
            )}
          >
            See who they are
          </Anchor>
        )}
      </Text>
    </Page>
  );
}
