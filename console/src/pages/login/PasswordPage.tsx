/** Setting a password with the one-time code that an admin gave. */
import { Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import type { Search } from "@/lib/search";
import { Door } from "@/pages/login/Door";
import { Refused } from "@/pages/login/LoginPage";

export const SHORTEST_PASSWORD = 12;

export function PasswordPage() {
  const given = (useSearch({ strict: false }) as Search).code ?? "";
  const navigate = useNavigate();
  const [code, setCode] = useState(given);
  const [password, setPassword] = useState("");
  const set = useAct((body: Schemas["PasswordSet"]) => client.POST("/v1/auth/password", { body }), {
    quiet: true,
    onDone: () => void navigate({ to: "/login", search: { password: "set" } as never }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate({ code: code.trim(), password });
  };
  return (
    <Door
      title="Set your password"
      lead="With the one-time code that an admin gave you. It ends every session and token of the account."
      foot={
        <Anchor size="sm" renderRoot={(props) => <Link to="/login" {...props} />}>
          Back to the sign-in
        </Anchor>
      }
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="One-time code"
            autoComplete="one-time-code"
            spellCheck={false}
            required
            withAsterisk={false}
            autoFocus={!given}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST_PASSWORD} characters; a few words are easier to keep than signs.`}
            autoComplete="new-password"
            required
            withAsterisk={false}
            autoFocus={given !== ""}
            minLength={SHORTEST_PASSWORD}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {set.error && <Refused refusal={set.error} />}
          <Button type="submit" fullWidth loading={set.isPending}>
            Set the password
          </Button>
        </Stack>
      </form>
    </Door>
  );
}
