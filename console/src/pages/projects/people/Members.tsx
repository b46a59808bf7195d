/** Who has which role in a place, be it a project or a whole organisation, and how that is changed. */
import { Select, Stack, Text, TextInput } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { ask, client, type Given, type Schemas } from "@/lib/api";
import { all, type May, no, YES } from "@/lib/can";
import { useMe } from "@/lib/me";
import { type Pages, usePages } from "@/lib/pages";
import { roleWords } from "@/lib/roles";
import type { Column } from "@/lib/rows";

type Membership = Schemas["MembershipRead"];
type Adding = Schemas["MembershipAdd"];
type Login = Schemas["UnixLoginRead"];

export interface Place {
  level: "org" | "project";
  /** "this project", "this organisation". */
  called: string;
  org: string;
  can: (key: string) => May;
  people: Pages<Membership>;
  add: (body: Adding, headers: Record<string, string>) => Promise<Given<Membership>>;
}

export function Members({ place }: { place: Place }) {
  const me = useMe();
  const [open, setOpen] = useState<Opened | null>(null);
  const logins = usePages(
    "/v1/orgs/{org}/logins",
    { org: place.org },
    { limit: 200 },
    { enabled: place.can("iam.login.read").allowed },
  );
  const byUser = new Map(logins.items.map((login) => [login.user_id, login]));
  const adding = (
    <Verb
      may={place.can("iam.member.add")}
      leftSection={<IconUserPlus size={16} aria-hidden />}
      onClick={() => setOpen({ what: "add" })}
    >
      Add somebody
    </Verb>
  );
  const close = () => setOpen(null);
  return (
    <>
      <Section title="People" flush actions={place.people.items.length > 0 && adding}>
        <ListFace
          of={place.people}
          empty={
            <Empty
              icon={IconUsers}
              title={`Nobody has a role in ${place.called} alone`}
              action={adding}
            >
              Add people by their e-mail address. Who has no account yet gets one and is invited to
              set a password.
            </Empty>
          }
        >
          {(people) => (
            <Rows
              rows={people}
              columns={columns(me.id, byUser, logins.error === null, place, setOpen)}
              rowKey={(person) => person.id}
              noun="person"
              id="people"
              {...place.people}
            />
          )}
        </ListFace>
      </Section>
      {open?.what === "add" && <Add place={place} onClose={close} />}
      {open?.what === "role" && <ChangeRole place={place} of={open.person} onClose={close} />}
      {open?.what === "remove" && <Remove place={place} of={open.person} onClose={close} />}
      {open?.what === "login" && <GiveLogin place={place} of={open.person} onClose={close} />}
    </>
  );
}

type Opened = { what: "add" } | { what: "role" | "remove" | "login"; person: Membership };

function columns(
  self: string,
  logins: Map<string, Login>,
  knowsLogins: boolean,
  place: Place,
  open: (what: Opened) => void,
): Column<Membership>[] {
  const login: Column<Membership> = {
    id: "login",
    title: "Unix login",
    value: (person) => logins.get(person.user_id)?.login,
    show: (person) => {
      const has = logins.get(person.user_id);
      return has ? <code title={`uid ${has.uid}`}>{has.login}</code> : <Text c="dimmed">–</Text>;
    },
  };
  return [
    {
      id: "name",
      title: "Name",
      value: (person) => `${person.name} ${person.email}`,
      show: (person) => (
        <>
          <Text size="sm" fw={600}>
            {person.name}
            {person.user_id === self && (
              <Text span c="dimmed" fw={400}>
                {" "}
                (you)
              </Text>
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {person.email}
          </Text>
        </>
      ),
    },
    {
      id: "role",
      title: "Role",
      value: (person) => roleWords(person.role),
      show: (person) => roleWords(person.role),
    },
    ...(knowsLogins ? [login] : []),
    {
      id: "since",
      title: "Since",
      value: (person) => person.created_at,
      show: (person) => <Ago at={person.created_at} />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      width: 60,
      show: (person) => (
        <Verbs
          person={person}
          place={place}
          hasLogin={logins.has(person.user_id)}
          open={(what) => open({ what, person })}
        />
      ),
    },
  ];
}

function Verbs({
  person,
  place,
  hasLogin,
  open,
}: {
  person: Membership;
  place: Place;
  hasLogin: boolean;
  open: (what: "role" | "remove" | "login") => void;
}) {
  return (
    <VerbMenu
      of={person.name}
      verbs={[
        { label: "Change role", may: place.can("iam.member.update"), onClick: () => open("role") },
        {
          label: "Give a Unix login",
          may: all(place.can("iam.login.create"), hasLogin ? no("They have one; it stays.") : YES),
          onClick: () => open("login"),
        },
        {
          label: "Take the role away",
          may: place.can("iam.member.remove"),
          onClick: () => open("remove"),
          danger: true,
        },
      ]}
    />
  );
}

/** Roles that can be given at a level, with what they mean. */
function RoleSelect({
  level,
  value,
  onChange,
}: {
  level: Place["level"];
  value: string | null;
  onChange: (role: string | null) => void;
}) {
  const { data } = useQuery(ask("/v1/roles", {}));
  const roles = (data?.items ?? []).filter((role) => role.levels.includes(level));
  return (
    <Select
      label="Role"
      required
      withAsterisk={false}
      allowDeselect={false}
      value={value}
      onChange={onChange}
      data={roles.map((role) => ({ value: role.role, label: roleWords(role.role) }))}
      description={roles.find((role) => role.role === value)?.description}
      inputWrapperOrder={["label", "input", "description"]}
    />
  );
}

function Add({ place, onClose }: { place: Place; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<string | null>("viewer");
  const add = useAct(place.add, {
    quiet: true,
    done: (_, person) => `${person.name} is ${roleWords(person.role)} now.`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Add somebody to ${place.called}`}
      opened
      onClose={onClose}
      verb="Add"
      busy={add.isPending}
      refusal={add.error}
      onSubmit={() => role && add.mutate({ email: email.trim(), role: role as Adding["role"] })}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        withAsterisk={false}
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleSelect level={place.level} value={role} onChange={setRole} />
    </Ask>
  );
}

interface OfPerson {
  place: Place;
  of: Membership;
  onClose: () => void;
}

function ChangeRole({ place, of, onClose }: OfPerson) {
  const [role, setRole] = useState<string | null>(of.role);
  const change = useAct(
    (body: Schemas["MembershipUpdate"], headers) =>
      client.PATCH("/v1/memberships/{membership}", {
        params: { path: { membership: of.id } },
        body,
        headers: { ...headers, "if-match": `"${of.version}"` },
      }),
    { quiet: true, done: `${of.name} has another role now.`, onDone: onClose },
  );
  return (
    <Ask
      title={`The role of ${of.name}`}
      opened
      onClose={onClose}
      verb="Change"
      busy={change.isPending}
      refusal={change.error}
      onSubmit={() => role && change.mutate({ role: role as Adding["role"] })}
    >
      <RoleSelect level={place.level} value={role} onChange={setRole} />
    </Ask>
  );
}

function Remove({ place, of, onClose }: OfPerson) {
  const remove = useAct(
    (membership: string, headers) =>
      client.DELETE("/v1/memberships/{membership}", { params: { path: { membership } }, headers }),
    { quiet: true, done: `${of.name} has no role here any more.`, onDone: onClose },
  );
  return (
    <Ask
      title={`Take away the role of ${of.name}`}
      opened
      onClose={onClose}
      verb="Take it away"
      danger
      busy={remove.isPending}
      refusal={remove.error}
      onSubmit={() => remove.mutate(of.id)}
    >
      <Text size="sm">
        {of.name} can no longer see or do anything in {place.called} by this role. Sessions that are
        open on machines by it end within seconds.
      </Text>
    </Ask>
  );
}

function GiveLogin({ place, of, onClose }: OfPerson) {
  const [login, setLogin] = useState("");
  const give = useAct(
    (body: Schemas["UnixLoginCreate"], headers) =>
      client.POST("/v1/orgs/{org}/logins", { params: { path: { org: place.org } }, body, headers }),
    { quiet: true, done: (_, made) => `${of.name} is ${made.login} on machines.`, onDone: onClose },
  );
  return (
    <Ask
      title={`A Unix login for ${of.name}`}
      opened
      onClose={onClose}
      verb="Give it"
      busy={give.isPending}
      refusal={give.error}
      onSubmit={() => give.mutate({ user: of.user_id, login: login.trim() || null })}
    >
      <Stack gap="xs">
        <Text size="sm">
          The name under which they are on the machines of the organisation. It is theirs for good:
          it can be neither changed nor given to anybody else.
        </Text>
        <TextInput
          label="Login"
          placeholder="Made from the e-mail address"
          description="Empty: the platform chooses. To choose one is for admins of the organisation."
          value={login}
          onChange={(event) => setLogin(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </Stack>
    </Ask>
  );
}
