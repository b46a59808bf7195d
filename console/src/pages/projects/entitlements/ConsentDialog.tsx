/** A version asks for more than was accepted: what is new, and the consent to it. */
import { Accordion, List, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Ask } from "@/components/Ask";
import { AsksFor } from "@/components/AsksFor";
import { Face } from "@/components/Faces";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import { askWords } from "@/lib/declaration";

export function ConsentDialog({
  entitlement,
  app,
  opened,
  onClose,
}: {
  entitlement: string;
  /** What the app is called. */
  app: string;
  opened: boolean;
  onClose: () => void;
}) {
  const diff = useQuery(ask("/v1/entitlements/{entitlement}/diff", { entitlement }));
  const act = useAct(
    (consent: string, headers) =>
      client.POST("/v1/entitlements/{entitlement}/consent", {
        params: { path: { entitlement } },
        body: { consent },
        headers,
      }),
    {
      quiet: true,
      done: `Version ${diff.data?.version.number ?? ""} of ${app} may be used now`,
      onDone: onClose,
    },
  );
  return (
    <Ask
      title={`What ${app} ${diff.data?.version.number ?? ""} asks for`}
      size="lg"
      opened={opened}
      onClose={onClose}
      verb="Accept"
      busy={act.isPending || !diff.data}
      refusal={act.error}
      onSubmit={() => {
        if (diff.data) act.mutate(diff.data.consent);
      }}
    >
      <Face of={diff} rows={4}>
        {(found) => (
          <Stack gap="md">
            <Asks title="More than before" asks={found.wider} added />
            <Asks title="No longer" asks={found.narrower} added={false} />
            <Accordion variant="contained">
              <Accordion.Item value="all">
                <Accordion.Control>Everything that it asks for</Accordion.Control>
                <Accordion.Panel>
                  <AsksFor declaration={found.declaration} />
                </Accordion.Panel>
              </Accordion.Item>
            </Accordion>
          </Stack>
        )}
      </Face>
    </Ask>
  );
}

function Asks({
  title,
  asks,
  added,
}: {
  title: string;
  asks: Schemas["DeclarationAskRead"][];
  added: boolean;
}) {
  if (asks.length === 0) return null;
  const Mark = added ? IconPlus : IconMinus;
  return (
    <div>
      <Text fw={600} mb={4}>
        {title}
      </Text>
      <List
        size="sm"
        spacing={4}
        center
        icon={
          <ThemeIcon size={18} radius="xl" variant="light" color={added ? "yellow" : "gray"}>
            <Mark size={12} aria-hidden />
          </ThemeIcon>
        }
      >
        {asks.map((each) => (
          <List.Item key={`${each.what} ${each.value}`}>{askWords(each)}</List.Item>
        ))}
      </List>
    </div>
  );
}
