/** Who works in an organisation as a whole, and under which names people are on its machines. */
import { IconTerminal2 } from "@tabler/icons-react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { client, type Schemas } from "@/lib/api";
import { may } from "@/lib/can";
import { useMe, useThisOrg } from "@/lib/me";
import { type Pages, usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { Members } from "@/pages/projects/people/Members";

export function OrgPeoplePage() {
  const org = useThisOrg();
  const me = useMe();
  const can = (key: string) => may(me, key, { org: org.id });
  const people = usePages("/v1/orgs/{org}/memberships", { org: org.id }, { limit: 200 });
  const logins = usePages(
    "/v1/orgs/{org}/logins",
    { org: org.id },
    { limit: 200 },
    { enabled: can("iam.login.read").allowed },
  );
  return (
    <Page
      title="People"
      lead={`Who has a role in ${org.name} as a whole. People with a role in single projects stand there.`}
    >
      <Members
        place={{
          level: "org",
          called: "this organisation",
          org: org.id,
          can,
          people,
          add: (body, headers) =>
            client.POST("/v1/orgs/{org}/memberships", {
              params: { path: { org: org.id } },
              body,
              headers,
            }),
        }}
      />
      {can("iam.login.read").allowed && <Logins of={logins} people={people.items} />}
    </Page>
  );
}

function Logins({
  of,
  people,
}: {
  of: Pages<Schemas["UnixLoginRead"]>;
  people: Schemas["MembershipRead"][];
}) {
  const names = new Map(people.map((person) => [person.user_id, person.name]));
  const columns: Column<Schemas["UnixLoginRead"]>[] = [
    {
      id: "login",
      title: "Login",
      value: (login) => login.login,
      show: (login) => <code>{login.login}</code>,
    },
    {
      id: "uid",
      title: "Number (uid)",
      value: (login) => login.uid,
      show: (login) => <span className="numbers">{login.uid}</span>,
    },
    {
      id: "who",
      title: "Whose",
      value: (login) => names.get(login.user_id),
      show: (login) => names.get(login.user_id) ?? "Somebody with a role in a project",
    },
    {
      id: "since",
      title: "Since",
      value: (login) => login.created_at,
      show: (login) => <Ago at={login.created_at} />,
    },
  ];
  return (
    <Section
      title="Unix logins"
      lead="The names under which people are on the organisation’s machines, the same on all of them."
      flush
    >
      <ListFace
        of={of}
        empty={
          <Empty icon={IconTerminal2} title="Nobody has a login yet">
            People get one when they first come onto a machine, or when an admin gives them one.
          </Empty>
        }
      >
        {(logins) => (
          <Rows
            rows={logins}
            columns={columns}
            rowKey={(login) => login.id}
            noun="login"
            id="logins"
            {...of}
          />
        )}
      </ListFace>
    </Section>
  );
}
