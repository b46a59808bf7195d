/** Letting a terminal in: `moor login` shows a code there, and the person decides about it here. */
import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Ago } from "@/components/Ago";
import { Failed, Loading } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { useAct } from "@/lib/act";
import { ask, client, Refusal, type Schemas } from "@/lib/api";
import { duration } from "@/lib/format";
import { useMe } from "@/lib/me";
import { useSearchParam } from "@/lib/search";
import { tidyCode } from "@/pages/login/ways";

type Asking = Schemas["DeviceCodeRead"];

export function CodePage() {
  const [code, setCode] = useSearchParam("code");
  return (
    <Page
      title="Let a terminal in"
      lead="“moor login” shows a code in a terminal. Type it here, look at what asks, and decide."
    >
      <CodeForm key={code} given={code} onChange={setCode} />
      {code && <Waiting code={tidyCode(code)} />}
    </Page>
  );
}

function CodeForm({ given, onChange }: { given: string; onChange: (code: string) => void }) {
  const [typed, setTyped] = useState(given);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(tidyCode(typed));
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Code"
          placeholder="XXXX-XXXX"
          autoComplete="off"
          spellCheck={false}
          autoFocus={given === ""}
          w={200}
          styles={{
            input: {
              fontFamily: "var(--mantine-font-family-monospace)",
              letterSpacing: "0.1em",
              textTransform: "uppercase",
            },
          }}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant={given ? "default" : "filled"} disabled={typed.trim() === ""}>
          Look it up
        </Button>
      </Group>
    </form>
  );
}

function Waiting({ code }: { code: string }) {
  const found = useQuery(ask("/v1/auth/device-codes/{user_code}", { user_code: code }));
  if (found.data) return <Decision code={code} of={found.data} />;
  if (found.error instanceof Refusal && [404, 422].includes(found.error.status))
    return (
      <Alert color="yellow" icon={<IconCircleX aria-hidden />} title="No such code is waiting">
        Codes are good for ten minutes and for one sign-in. Look again at the terminal, or run “moor
        login” anew.
      </Alert>
    );
  if (found.error) return <Failed error={found.error} retry={() => void found.refetch()} />;
  return <Loading rows={3} />;
}

function Decision({ code, of }: { code: string; of: Asking }) {
  const me = useMe();
  const [made, setMade] = useState<Asking["status"]>(of.status);
  const params = { path: { user_code: code } };
  const approve = useAct(
    (_: null, headers) =>
      client.POST("/v1/auth/device-codes/{user_code}/approve", { params, headers }),
    { onDone: () => setMade("approved") },
  );
  const deny = useAct(
    (_: null, headers) =>
      client.POST("/v1/auth/device-codes/{user_code}/deny", { params, headers }),
    { onDone: () => setMade("denied") },
  );
  if (made === "approved")
    return (
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="It is let in">
        You can go back to the terminal. What it was given stands among your tokens, where you can
        revoke it.
      </Alert>
    );
  if (made === "denied")
    return (
      <Alert color="gray" icon={<IconCircleX aria-hidden />} title="It is refused">
        The terminal is not let in, and this code is used up.
      </Alert>
    );
  return (
    <Section>
      <Stack gap="lg">
        <Group gap="sm" wrap="nowrap">
          <IconTerminal2 size={28} stroke={1.5} aria-hidden />
          <div>
            <Text fw={650}>{of.client} asks to act as you</Text>
            <Text size="sm" c="dimmed">
              It could do all that {me.name} may do, for {duration(of.token_expires_in)}.
            </Text>
          </div>
        </Group>
        <Facts
          columns={3}
          of={[
            ["Address", of.address],
            ["Asked", <Ago key="asked" at={of.created_at} />],
            ["The code ends", <Ago key="ends" at={of.expires_at} />],
          ]}
        />
        <Text size="sm">
          Let it in only if you started “moor login” yourself just now and your terminal shows the
          code <b>{code}</b>.
        </Text>
        <Group gap="xs">
          <Button loading={approve.isPending} onClick={() => approve.mutate(null)}>
            Let it in
          </Button>
          <Button variant="default" loading={deny.isPending} onClick={() => deny.mutate(null)}>
            Refuse
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
