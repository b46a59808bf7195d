/** Everybody's account on the platform, and the providers by which people sign in. */
import { Code, Text, TextInput } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { Once } from "@/components/Once";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { all, type May, may, no, YES } from "@/lib/can";
import { PLATFORM_ORG, useMe } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { Providers } from "@/pages/platform/Providers";

type User = Schemas["UserRead"];
type What = "code" | "toggle";

export function UsersPage() {
  const me = useMe();
  const can = (key: string) => may(me, key, { org: PLATFORM_ORG });
  const [making, setMaking] = useSearchParam("new");
  const [open, setOpen] = useState<{ what: What; user: User } | null>(null);
  const users = usePages("/v1/users", {}, { limit: 200 });
  const close = () => setOpen(null);
  const make = (
    <Verb
      may={can("iam.user.create")}
      leftSection={<IconUserPlus size={16} aria-hidden />}
      onClick={() => setMaking("account")}
    >
      New account
    </Verb>
  );
  return (
    <Page
      title="Accounts"
      lead="Everybody who can sign in. What somebody may do follows from their roles in organisations and projects."
    >
      <Section title="People" flush actions={make}>
        <ListFace
          of={users}
          empty={
            <Empty icon={IconUsers} title="There are no accounts" action={make}>
              Make an account and give its owner a one-time code to set a password.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns(me.id, can, (what, user) => setOpen({ what, user }))}
              rowKey={(user) => user.id}
              noun="account"
              id="users"
              {...users}
            />
          )}
        </ListFace>
      </Section>
      {can("iam.oidc_provider.read").allowed && <Providers can={can} />}
      {making === "account" && <NewUser onClose={() => setMaking("")} />}
      {open?.what === "code" && <IssueCode user={open.user} onClose={close} />}
      {open?.what === "toggle" && <Toggle user={open.user} onClose={close} />}
    </Page>
  );
}

function columns(
  self: string,
  can: (key: string) => May,
  open: (what: What, user: User) => void,
): Column<User>[] {
  return [
    {
      id: "name",
      title: "Name",
      value: (user) => `${user.name} ${user.email}`,
      show: (user) => (
        <>
          <Text size="sm" fw={600}>
            {user.name}
            {user.id === self && (
              <Text span c="dimmed" fw={400}>
                {" "}
                (you)
              </Text>
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        </>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (user) => (user.disabled ? "Disabled" : "Enabled"),
      show: (user) => <Status word={user.disabled ? "disabled" : "enabled"} />,
    },
    {
      id: "password",
      title: "Password",
      value: (user) => (user.has_password ? "Set" : "Not set"),
      show: (user) => (user.has_password ? "Set" : "Not set"),
    },
    {
      id: "made",
      title: "Made",
      value: (user) => user.created_at,
      show: (user) => <Ago at={user.created_at} />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      width: 60,
      show: (user) => <Verbs user={user} self={self} can={can} open={(what) => open(what, user)} />,
    },
  ];
}

function Verbs({
  user,
  self,
  can,
  open,
}: {
  user: User;
  self: string;
  can: (key: string) => May;
  open: (what: What) => void;
}) {
  const own = user.id === self ? no("This is your own account.") : YES;
  return (
    <VerbMenu
      of={user.name}
      verbs={[
        {
          label: "One-time code for a password",
          may: can("iam.user.reset_password"),
          onClick: () => open("code"),
        },
        {
          label: user.disabled ? "Enable" : "Disable",
          may: all(own, can("iam.user.update")),
          onClick: () => open("toggle"),
        },
      ]}
    />
  );
}

function NewUser({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [made, setMade] = useState<User | null>(null);
  const make = useAct(
    (body: Schemas["UserCreate"], headers) => client.POST("/v1/users", { body, headers }),
    { quiet: true, onDone: setMade },
  );
  if (made) return <IssueCode user={made} onClose={onClose} />;
  return (
    <Ask
      title="New account"
      opened
      onClose={onClose}
      verb="Make it"
      busy={make.isPending}
      refusal={make.error}
      onSubmit={() => make.mutate({ email: email.trim(), name: name.trim() })}
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
      <TextInput
        label="E-mail"
        type="email"
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </Ask>
  );
}

function IssueCode({ user, onClose }: { user: User; onClose: () => void }) {
  const [issued, setIssued] = useState<Schemas["PasswordCodeRead"] | null>(null);
  const issue = useAct(
    (body: Schemas["PasswordCodeIssue"], headers) =>
      client.POST("/v1/users/{user}/password-codes", {
        params: { path: { user: user.id } },
        body,
        headers,
      }),
    { quiet: true, onDone: setIssued },
  );
  if (issued)
    return (
      <Once
        title={`The one-time code for ${user.name}`}
        secret={issued.code}
        what="the code"
        onClose={onClose}
      >
        <Text size="sm">
          Give it to them by a way that you trust. They set their password with it at{" "}
          <Code>{window.location.origin}/login/password</Code>. It ends{" "}
          <Ago at={issued.expires_at} />.
        </Text>
      </Once>
    );
  return (
    <Ask
      title={`A one-time code for ${user.name}`}
      opened
      onClose={onClose}
      verb="Make the code"
      reason="optional"
      busy={issue.isPending}
      refusal={issue.error}
      onSubmit={(reason) => issue.mutate({ reason: reason || null })}
    >
      <Text size="sm">
        With it they set a new password; their sessions and tokens end then. Where the account is in
        use already, a reason is needed, and their organisations see it.
      </Text>
    </Ask>
  );
}

function Toggle({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useAct(
    (body: Schemas["UserUpdate"], headers) =>
      client.PATCH("/v1/users/{user}", {
        params: { path: { user: user.id } },
        body,
        headers: { ...headers, "if-match": `"${user.version}"` },
      }),
    {
      quiet: true,
      done: user.disabled ? "They can sign in again." : "They can no longer sign in.",
      onDone: onClose,
    },
  );
  return (
    <Ask
      title={`${user.disabled ? "Enable" : "Disable"} the account of ${user.name}`}
      opened
      onClose={onClose}
      verb={user.disabled ? "Enable" : "Disable"}
      danger={!user.disabled}
      busy={update.isPending}
      refusal={update.error}
      onSubmit={() => update.mutate({ disabled: !user.disabled })}
    >
      <Text size="sm">
        {user.disabled
          ? "They can sign in again, with the roles that they have."
          : "Their sessions and tokens end, and they are taken off machines within seconds. Their roles stay, for when you enable the account again."}
      </Text>
    </Ask>
  );
}
