/** Sign-in providers (OpenID Connect): each is a button of the sign-in page. */
import { PasswordInput, TagsInput, Text, TextInput } from "@mantine/core";
import { IconLogin2, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { CopyCode } from "@/components/Copy";
import { Empty, ListFace } from "@/components/Faces";
import { NAMELESS, NameAndSlug, slugIn } from "@/components/NameAndSlug";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import type { May } from "@/lib/can";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";

type Provider = Schemas["OidcProviderRead"];
type Opened = { what: "add" } | { what: "delete"; provider: Provider };

export function Providers({ can }: { can: (key: string) => May }) {
  const [open, setOpen] = useState<Opened | null>(null);
  const providers = usePages("/v1/oidc-providers", {}, { limit: 100 });
  const toggle = useAct(
    (provider: Provider, headers) =>
      client.PATCH("/v1/oidc-providers/{provider}", {
        params: { path: { provider: provider.id } },
        body: { enabled: !provider.enabled },
        headers: { ...headers, "if-match": `"${provider.version}"` },
      }),
    { done: (before) => `${before.name} is ${before.enabled ? "disabled" : "enabled"}.` },
  );
  const [update, remove] = [can("iam.oidc_provider.update"), can("iam.oidc_provider.delete")];
  const add = (
    <Verb
      may={can("iam.oidc_provider.create")}
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setOpen({ what: "add" })}
    >
      Add a provider
    </Verb>
  );
  const columns: Column<Provider>[] = [
    {
      id: "name",
      title: "Name",
      value: (provider) => provider.name,
      show: (provider) => (
        <>
          <Text size="sm" fw={600}>
            {provider.name}
          </Text>
          <Text size="xs" c="dimmed">
            {provider.issuer}
          </Text>
        </>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (provider) => (provider.enabled ? "Enabled" : "Disabled"),
      show: (provider) => <Status word={provider.enabled ? "enabled" : "disabled"} />,
    },
    {
      id: "domains",
      title: "Speaks for",
      value: (provider) => provider.domains.join(" "),
      show: (provider) =>
        provider.domains.includes("*") ? "Every address" : provider.domains.join(", "),
    },
    {
      id: "callback",
      title: "Callback address",
      show: (provider) => <CopyCode text={provider.callback_url} what="the callback address" />,
    },
    {
      id: "verbs",
      title: "",
      align: "right",
      width: 60,
      show: (provider) => (
        <VerbMenu
          of={provider.name}
          verbs={[
            {
              label: provider.enabled ? "Disable" : "Enable",
              may: update,
              onClick: () => toggle.mutate(provider),
            },
            {
              label: "Delete",
              may: remove,
              danger: true,
              onClick: () => setOpen({ what: "delete", provider }),
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <Section
        title="Sign-in providers"
        lead="Where people can sign in with an account that they have already (OpenID Connect)."
        flush
        actions={providers.items.length > 0 && add}
      >
        <ListFace
          of={providers}
          empty={
            <Empty icon={IconLogin2} title="People sign in with passwords alone" action={add}>
              Add your own identity provider, and it becomes a button of the sign-in page.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns}
              rowKey={(provider) => provider.id}
              noun="provider"
              id="providers"
              {...providers}
            />
          )}
        </ListFace>
      </Section>
      {open?.what === "add" && <Add onClose={() => setOpen(null)} />}
      {open?.what === "delete" && <Delete provider={open.provider} onClose={() => setOpen(null)} />}
    </>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [named, setNamed] = useState(NAMELESS);
  const [issuer, setIssuer] = useState("https://");
  const [client_id, setClient] = useState("");
  const [client_secret, setSecret] = useState("");
  const [domains, setDomains] = useState<string[]>([]);
  const add = useAct(
    (body: Schemas["OidcProviderCreate"], headers) =>
      client.POST("/v1/oidc-providers", { body, headers }),
    { quiet: true, done: (_, made) => `${made.name} is a way to sign in now.`, onDone: onClose },
  );
  return (
    <Ask
      title="Add a sign-in provider"
      opened
      onClose={onClose}
      verb="Add it"
      busy={add.isPending}
      refusal={add.error}
      onSubmit={() =>
        add.mutate({
          name: named.name.trim(),
          slug: slugIn(named),
          issuer: issuer.trim(),
          client_id: client_id.trim(),
          client_secret,
          domains,
          enabled: true,
        })
      }
    >
      <NameAndSlug value={named} onChange={setNamed} placeholder="Company login" />
      <TextInput
        label="Issuer"
        description="Exactly as the provider writes it, a slash at the end included."
        required
        withAsterisk={false}
        value={issuer}
        onChange={(event) => setIssuer(event.currentTarget.value)}
      />
      <TextInput
        label="Client id"
        required
        withAsterisk={false}
        autoComplete="off"
        value={client_id}
        onChange={(event) => setClient(event.currentTarget.value)}
      />
      <PasswordInput
        label="Client secret"
        description="Kept sealed, and never shown again."
        required
        withAsterisk={false}
        autoComplete="off"
        value={client_secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <TagsInput
        label="E-mail domains that it speaks for"
        description="Type one and press Enter; * stands for all."
        placeholder="example.org"
        value={domains}
        onChange={setDomains}
      />
    </Ask>
  );
}

function Delete({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const remove = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/oidc-providers/{provider}", {
        params: { path: { provider: id } },
        headers,
      }),
    {
      quiet: true,
      done: `${provider.name} is no way to sign in any more.`,
      removes: provider.id,
      onDone: onClose,
    },
  );
  return (
    <Ask
      title={`Delete ${provider.name}`}
      opened
      onClose={onClose}
      verb="Delete it"
      danger
      confirm={provider.slug}
      busy={remove.isPending}
      refusal={remove.error}
      onSubmit={() => remove.mutate(provider.id)}
    >
      <Text size="sm">
        Nobody can sign in by it any more. Accounts stay; who has no password needs a one-time code.
      </Text>
    </Ask>
  );
}
