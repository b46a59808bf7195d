/** One's own account: tokens, sessions, password. */
import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { type May, may, no } from "@/lib/can";
import { plural } from "@/lib/format";
import { useMe, useProjects } from "@/lib/me";
import { useNow } from "@/lib/now";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { SHORTEST_PASSWORD } from "@/pages/login/PasswordPage";
import { NewToken } from "@/pages/me/NewToken";
import { agentWords, isOver } from "@/pages/me/tokens";

type Token = Schemas["AccessTokenRead"];
type Session = Schemas["SessionRead"];

export function MePage() {
  const me = useMe();
  return (
    <Page
      title={me.name}
      lead="Your tokens for tools and scripts, the places where you are signed in, and your password."
    >
      <Tokens may={may(me, "iam.self.manage")} />
      <Sessions own={me.session_id} may={may(me, "iam.self.manage")} />
      <Password may={may(me, "iam.self.manage")} />
    </Page>
  );
}

function Tokens({ may }: { may: May }) {
  const tokens = usePages("/v1/access-tokens", {}, { limit: 200 });
  const [making, setMaking] = useSearchParam("new");
  const [revoking, setRevoking] = useState<Token | null>(null);
  const { projects } = useProjects();
  const now = useNow();
  const revoke = useAct(
    (token: string, headers) =>
      client.DELETE("/v1/access-tokens/{token}", { params: { path: { token } }, headers }),
    { quiet: true, done: "The token opens nothing any more.", onDone: () => setRevoking(null) },
  );
  const make = (
    <Verb
      may={may}
      leftSection={<IconKey size={16} aria-hidden />}
      onClick={() => setMaking("token")}
    >
      Make a token
    </Verb>
  );
  const place = (token: Token) => {
    const project = projects.find((each) => each.id === token.project_id);
    const org = projects.find((each) => each.org.id === token.org_id)?.org;
    return project?.name ?? org?.name ?? (token.org_id ? "One organisation" : "Everywhere");
  };
  const columns: Column<Token>[] = [
    {
      id: "name",
      title: "Name",
      value: (token) => token.name,
      show: (token) => (
        <Text size="sm" fw={600}>
          {token.name}
        </Text>
      ),
    },
    { id: "where", title: "Where", value: place, show: place },
    {
      id: "what",
      title: "What it may do",
      show: (token) =>
        token.permissions === null
          ? "All that you may"
          : plural(token.permissions.length, "permission"),
    },
    {
      id: "made",
      title: "Made",
      value: (token) => token.created_at,
      show: (token) => <Ago at={token.created_at} />,
    },
    {
      id: "ends",
      title: "Ends",
      value: (token) => token.expires_at,
      show: (token) =>
        isOver(token, now) ? (
          <Status word={token.revoked_at ? "revoked" : "expired"} />
        ) : (
          <Ago at={token.expires_at} />
        ),
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      show: (token) =>
        !isOver(token, now) && (
          <Verb
            may={may}
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => setRevoking(token)}
            aria-label={`Revoke the token ${token.name}`}
          >
            Revoke
          </Verb>
        ),
    },
  ];
  return (
    <>
      <Section
        title="Tokens"
        lead="For moor, scripts and tools that act as you."
        flush
        actions={tokens.items.length > 0 && make}
      >
        <ListFace
          of={tokens}
          empty={
            <Empty icon={IconKey} title="You have no tokens" action={make}>
              A token lets a tool act as you, as long and as far as you say. Where a machine acts by
              itself, a service account of the project is the better choice.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={[...items].reverse()}
              columns={columns}
              rowKey={(token) => token.id}
              noun="token"
              id="tokens"
              {...tokens}
            />
          )}
        </ListFace>
      </Section>
      {making === "token" && <NewToken onClose={() => setMaking("")} />}
      <Ask
        title={`Revoke the token ${revoking?.name ?? ""}`}
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        verb="Revoke it"
        danger
        busy={revoke.isPending}
        refusal={revoke.error}
        onSubmit={() => revoking && revoke.mutate(revoking.id)}
      >
        <Text size="sm">Whatever uses it is refused from now on. There is no way back.</Text>
      </Ask>
    </>
  );
}

function Sessions({ own, may }: { own: string | null; may: May }) {
  const sessions = usePages("/v1/sessions", {}, { limit: 100 });
  const end = useAct(
    (session: string, headers) =>
      client.DELETE("/v1/sessions/{session}", { params: { path: { session } }, headers }),
    { done: "That session is ended." },
  );
  const columns: Column<Session>[] = [
    {
      id: "agent",
      title: "Where",
      value: (session) => agentWords(session.user_agent),
      show: (session) => (
        <Text size="sm" fw={600} title={session.user_agent}>
          {agentWords(session.user_agent)}
          {session.id === own && (
            <Text span c="dimmed" fw={400}>
              {" "}
              (this one)
            </Text>
          )}
        </Text>
      ),
    },
    {
      id: "begun",
      title: "Signed in",
      value: (session) => session.created_at,
      show: (session) => <Ago at={session.created_at} />,
    },
    {
      id: "seen",
      title: "Last used",
      value: (session) => session.seen_at,
      show: (session) => <Ago at={session.seen_at} />,
    },
    {
      id: "ends",
      title: "Ends",
      value: (session) => session.expires_at,
      show: (session) => <Ago at={session.expires_at} />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      show: (session) => (
        <Verb
          may={session.id === own ? no("This is where you are: sign out instead.") : may}
          size="compact-sm"
          variant="subtle"
          color="red"
          onClick={() => end.mutate(session.id)}
          aria-label={`End the session of ${agentWords(session.user_agent)}`}
        >
          End
        </Verb>
      ),
    },
  ];
  return (
    <Section title="Sessions" lead="Where you are signed in." flush>
      <ListFace
        of={sessions}
        empty={
          <Text p="md" size="sm" c="dimmed">
            There is no session; you are here by a token.
          </Text>
        }
      >
        {(items) => (
          <Rows
            rows={[...items].reverse()}
            columns={columns}
            rowKey={(session) => session.id}
            noun="session"
            id="sessions"
            {...sessions}
          />
        )}
      </ListFace>
    </Section>
  );
}

function Password({ may }: { may: May }) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const change = useAct(
    (body: Schemas["PasswordChange"], headers) => client.POST("/v1/me/password", { body, headers }),
    {
      done: "Your password is changed.",
      quiet: true,
      onDone: () => {
        setCurrent("");
        setPassword("");
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ current, password });
  };
  return (
    <Section title="Password" lead="Your other sessions end when you change it.">
      <form onSubmit={submit}>
        <Stack gap="md" maw={400} align="stretch">
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST_PASSWORD} characters.`}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={SHORTEST_PASSWORD}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {change.error && (
            <Text c="red" size="sm" role="alert">
              {change.error.message}
            </Text>
          )}
          <div>
            <Button
              type="submit"
              variant="default"
              loading={change.isPending}
              disabled={!may.allowed || current === "" || password === ""}
            >
              Change the password
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}
