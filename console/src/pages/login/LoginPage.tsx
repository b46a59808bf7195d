/** The way in: by e-mail and password, or by a provider that the platform trusts. */
import {
  Alert,
  Anchor,
  Button,
  Divider,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconLogin2 } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct } from "@/lib/act";
import { ask, client, type Refusal, type Schemas } from "@/lib/api";
import type { Search } from "@/lib/search";
import { Door } from "@/pages/login/Door";
import { ownPath, problemWords } from "@/pages/login/ways";

export function LoginPage() {
  const search = useSearch({ strict: false }) as Search;
  const to = ownPath(search.to);
  const { data: providers } = useQuery(ask("/v1/auth/oidc/providers", {}));
  return (
    <Door
      title="Sign in"
      foot={
        <Anchor size="sm" renderRoot={(props) => <Link to="/login/password" {...props} />}>
          I have a one-time code to set my password
        </Anchor>
      }
    >
      {search.password === "set" && (
        <Alert color="teal" icon={<IconCircleCheck aria-hidden />} role="status">
          Your new password is set. Sign in with it.
        </Alert>
      )}
      {search.problem && <Problem code={search.problem} correlation={search.correlation_id} />}
      <ByPassword to={to} />
      {providers && providers.items.length > 0 && <Providers of={providers.items} to={to} />}
    </Door>
  );
}

function Problem({ code, correlation }: { code: string; correlation: string | undefined }) {
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Text size="sm">{problemWords(code)}</Text>
      {correlation && (
        <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
          Whoever helps you may ask for <code>{correlation}</code>
        </Text>
      )}
    </Alert>
  );
}

function ByPassword({ to }: { to: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const enter = useAct((body: Schemas["Login"]) => client.POST("/v1/auth/login", { body }), {
    quiet: true,
    onDone: () => {
      queries.clear();
      void navigate({ href: to, replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate({ email: email.trim(), password });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {enter.error && <Refused refusal={enter.error} />}
        <Button type="submit" fullWidth loading={enter.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

export function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <Text c="red" size="sm" role="alert">
      {refusal.status === 422 ? "Look again at what you typed. " : ""}
      {refusal.faults.length > 0
        ? refusal.faults.map((fault) => fault.message).join(" ")
        : refusal.message}
    </Text>
  );
}

function Providers({ of, to }: { of: Schemas["SignInChoice"][]; to: string }) {
  return (
    <Stack gap="xs">
      <Divider label="or" labelPosition="center" />
      {of.map((provider) => (
        <Button
          key={provider.slug}
          component="a"
          href={`/v1/auth/oidc/${provider.slug}/start?${new URLSearchParams({ return_to: to })}`}
          variant="default"
          fullWidth
          leftSection={<IconLogin2 size={17} aria-hidden />}
        >
          Sign in with {provider.name}
        </Button>
      ))}
    </Stack>
  );
}
