/** One service account: what it may do, and what it proves itself with. */
import { Badge, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { CopyCode } from "@/components/Copy";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Keys } from "@/components/Keys";
import { Once } from "@/components/Once";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import type { May } from "@/lib/can";
import { keyGroups, keyWords } from "@/lib/deeds";
import { useCan, useThisProject } from "@/lib/me";
import { useNow } from "@/lib/now";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { isOver } from "@/pages/me/tokens";
import { useGrantable } from "@/pages/projects/accounts/grantable";
import { parsedKey } from "@/pages/projects/accounts/publicKey";

type Account = Schemas["ServiceAccountRead"];
type Key = Schemas["KeyRead"];

export function AccountPage() {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const found = useQuery(ask("/v1/service-accounts/{account}", { account }));
  return <Face of={found}>{(data) => <Content account={data} />}</Face>;
}

type Opened = "edit" | "toggle" | "delete" | null;

function Content({ account }: { account: Account }) {
  const project = useThisProject();
  const can = useCan();
  const [open, setOpen] = useState<Opened>(null);
  const base = `/projects/${project.org.slug}/${project.slug}/accounts`;
  const close = () => setOpen(null);
  return (
    <Page
      title={account.name}
      crumbs={[{ label: "Service accounts", to: base }]}
      badges={<Status word={account.disabled ? "disabled" : "enabled"} />}
      actions={
        <>
          <Verb
            may={can("iam.service_account.update")}
            variant="default"
            onClick={() => setOpen("edit")}
          >
            Edit
          </Verb>
          <Verb
            may={can("iam.service_account.update")}
            variant="default"
            onClick={() => setOpen("toggle")}
          >
            {account.disabled ? "Enable" : "Disable"}
          </Verb>
          <Verb
            may={can("iam.service_account.delete")}
            variant="default"
            c="red"
            onClick={() => setOpen("delete")}
          >
            Delete
          </Verb>
        </>
      }
    >
      <Section>
        <Facts
          columns={3}
          of={[
            ["Id, which it names itself by", <CopyCode key="id" text={account.id} what="the id" />],
            ["Made", <Ago key="made" at={account.created_at} />],
            ["Changed", <Ago key="changed" at={account.updated_at} />],
          ]}
        />
      </Section>
      <Credentials account={account} may={can("iam.service_account.manage_keys")} />
      <Section title="What it may do">
        {account.permissions.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing, until it is given a permission.
          </Text>
        ) : (
          <Stack gap="md">
            {keyGroups(account.permissions).map(([title, keys]) => (
              <div key={title}>
                <Text size="xs" c="dimmed" fw={600} mb={6}>
                  {title}
                </Text>
                <Group gap={6}>
                  {keys.map((key) => (
                    <Badge key={key} color="gray" title={key} size="lg" fw={450}>
                      {keyWords(key)}
                    </Badge>
                  ))}
                </Group>
              </div>
            ))}
          </Stack>
        )}
      </Section>
      {open === "edit" && <Edit account={account} onClose={close} />}
      {open === "toggle" && <Toggle account={account} onClose={close} />}
      {open === "delete" && <Delete account={account} base={base} onClose={close} />}
    </Page>
  );
}

function useUpdate(account: Account, done: string, onDone: () => void) {
  return useAct(
    (body: Schemas["ServiceAccountUpdate"], headers) =>
      client.PATCH("/v1/service-accounts/{account}", {
        params: { path: { account: account.id } },
        body,
        headers: { ...headers, "if-match": `"${account.version}"` },
      }),
    { quiet: true, done, onDone },
  );
}

function Edit({ account, onClose }: { account: Account; onClose: () => void }) {
  const offered = useGrantable();
  const [name, setName] = useState(account.name);
  const [permissions, setPermissions] = useState(account.permissions);
  const update = useUpdate(account, "It is changed.", onClose);
  return (
    <Ask
      title={`Edit ${account.name}`}
      opened
      onClose={onClose}
      verb="Save"
      size="lg"
      busy={update.isPending}
      refusal={update.error}
      onSubmit={() => update.mutate({ name: name.trim(), permissions })}
    >
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Keys
        label="What it may do"
        description="Tokens that it holds already lose what you take away at once."
        offered={[...new Set([...offered, ...account.permissions])]}
        value={permissions}
        onChange={setPermissions}
      />
    </Ask>
  );
}

function Toggle({ account, onClose }: { account: Account; onClose: () => void }) {
  const update = useUpdate(
    account,
    account.disabled ? "It is enabled." : "It is disabled.",
    onClose,
  );
  return (
    <Ask
      title={`${account.disabled ? "Enable" : "Disable"} ${account.name}`}
      opened
      onClose={onClose}
      verb={account.disabled ? "Enable it" : "Disable it"}
      danger={!account.disabled}
      busy={update.isPending}
      refusal={update.error}
      onSubmit={() => update.mutate({ disabled: !account.disabled })}
    >
      <Text size="sm">
        {account.disabled
          ? "It can act again, with the keys and secrets that it has."
          : "Whatever uses it is refused from now on. Its keys stay, for when you enable it again."}
      </Text>
    </Ask>
  );
}

function Delete({
  account,
  base,
  onClose,
}: {
  account: Account;
  base: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const remove = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/service-accounts/{account}", {
        params: { path: { account: id } },
        headers,
      }),
    {
      quiet: true,
      done: `${account.name} is deleted.`,
      removes: account.id,
      onDone: () => navigate({ to: base }),
    },
  );
  return (
    <Ask
      title={`Delete ${account.name}`}
      opened
      onClose={onClose}
      verb="Delete it"
      danger
      confirm={account.name}
      busy={remove.isPending}
      refusal={remove.error}
      onSubmit={() => remove.mutate(account.id)}
    >
      <Text size="sm">
        Whatever uses it is refused from now on, and its keys are gone. There is no way back.
      </Text>
    </Ask>
  );
}

const KINDS: Record<string, string> = { secret: "Client secret", ed25519: "Public key" };

function Credentials({ account, may }: { account: Account; may: May }) {
  const keys = usePages(
    "/v1/service-accounts/{account}/keys",
    { account: account.id },
    { limit: 100 },
  );
  const [making, setMaking] = useState<"secret" | "key" | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const now = useNow();
  const make = useAct(
    (body: Schemas["KeyCreate"], headers) =>
      client.POST("/v1/service-accounts/{account}/keys", {
        params: { path: { account: account.id } },
        body,
        headers,
      }),
    {
      quiet: true,
      onDone: (issued) => {
        setMaking(null);
        setSecret(issued.secret);
      },
    },
  );
  const revoke = useAct(
    (key: string, headers) =>
      client.DELETE("/v1/service-accounts/{account}/keys/{key}", {
        params: { path: { account: account.id, key } },
        headers,
      }),
    { quiet: true, done: "It proves nothing any more.", onDone: () => setRevoking(null) },
  );
  const columns: Column<Key>[] = [
    {
      id: "kind",
      title: "Kind",
      value: (key) => KINDS[key.kind] ?? key.kind,
      show: (key) => (
        <Text size="sm" fw={600}>
          {KINDS[key.kind] ?? key.kind}
        </Text>
      ),
    },
    { id: "id", title: "Id", show: (key) => <CopyCode text={key.id} what="the id" /> },
    {
      id: "made",
      title: "Made",
      value: (key) => key.created_at,
      show: (key) => <Ago at={key.created_at} />,
    },
    {
      id: "ends",
      title: "Ends",
      value: (key) => key.expires_at,
      show: (key) => {
        if (isOver(key, now)) return <Status word={key.revoked_at ? "revoked" : "expired"} />;
        return key.expires_at ? <Ago at={key.expires_at} /> : "Not by itself";
      },
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      show: (key) =>
        !isOver(key, now) && (
          <Verb
            may={may}
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => setRevoking(key)}
            aria-label={`Revoke ${KINDS[key.kind] ?? key.kind} ${key.id}`}
          >
            Revoke
          </Verb>
        ),
    },
  ];
  const verbs = (
    <>
      <Verb may={may} variant="default" onClick={() => setMaking("key")}>
        Add a public key
      </Verb>
      <Verb may={may} onClick={() => setMaking("secret")}>
        Make a secret
      </Verb>
    </>
  );
  return (
    <>
      <Section
        title="Keys and secrets"
        lead="What it proves itself with when it asks for a token of a few minutes."
        flush
        actions={keys.items.length > 0 && verbs}
      >
        <ListFace
          of={keys}
          empty={
            <Empty icon={IconKey} title="It cannot sign in yet" action={verbs}>
              Make a secret, or add the public half of an Ed25519 key that never leaves its machine.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns}
              rowKey={(key) => key.id}
              noun="key"
              id="keys"
              {...keys}
            />
          )}
        </ListFace>
      </Section>
      {making === "secret" && (
        <Ask
          title={`A secret for ${account.name}`}
          opened
          onClose={() => setMaking(null)}
          verb="Make it"
          busy={make.isPending}
          refusal={make.error}
          onSubmit={() => make.mutate({})}
        >
          <Text size="sm">
            It is shown once, on the next page. Whoever has it can act as {account.name}.
          </Text>
        </Ask>
      )}
      {making === "key" && (
        <AddKey
          busy={make.isPending}
          refusal={make.error}
          onClose={() => setMaking(null)}
          onSubmit={(public_key) => make.mutate({ public_key })}
        />
      )}
      <Once
        title={`The secret of ${account.name}`}
        secret={secret}
        what="the secret"
        onClose={() => setSecret(null)}
      >
        <Text size="sm">
          It goes together with the account’s id, <code>{account.id}</code>.
        </Text>
      </Once>
      <Ask
        title="Revoke it"
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

function AddKey({
  busy,
  refusal,
  onClose,
  onSubmit,
}: {
  busy: boolean;
  refusal: ReturnType<typeof useUpdate>["error"];
  onClose: () => void;
  onSubmit: (key: Schemas["PublicKey"]) => void;
}) {
  const [text, setText] = useState("");
  const key = parsedKey(text);
  const wrong = text.trim() !== "" && key === null;
  return (
    <Ask
      title="Add a public key"
      opened
      onClose={onClose}
      verb="Add it"
      busy={busy}
      refusal={refusal}
      onSubmit={() => key && onSubmit(key)}
    >
      <Textarea
        label="Public key (JWK)"
        description="An Ed25519 public key as JSON, or its x alone. The private half stays with you."
        placeholder={'{"kty":"OKP","crv":"Ed25519","x":"…"}'}
        required
        withAsterisk={false}
        autosize
        minRows={3}
        data-autofocus
        error={wrong && "This is no Ed25519 public key."}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </Ask>
  );
}
