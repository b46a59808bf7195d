/** One layer of policy: what it limits, and, for those who may, how that is changed. */
import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconPencil } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Face } from "@/components/Faces";
import { Section } from "@/components/Section";
import { Verb } from "@/components/Verb";
import { WhyRefused } from "@/components/WhyRefused";
import { useAct } from "@/lib/act";
import type { Given, Schemas } from "@/lib/api";
import type { May } from "@/lib/can";
import { plural } from "@/lib/format";
import { useSearchParam } from "@/lib/search";
import { DraftForm } from "@/pages/projects/policy/DraftForm";
import { documentOf, draftOf } from "@/pages/projects/policy/draft";
import { LayerLimits } from "@/pages/projects/policy/Limits";
import { breakWords } from "@/pages/projects/policy/words";

type Overlay = Schemas["OverlayRead"];
type Written = Schemas["OverlayWritten"];

export interface LayerOf {
  title: string;
  lead: string;
  of: UseQueryResult<Overlay>;
  may: May;
  put: (
    body: Schemas["OverlayWrite"],
    dry_run: boolean,
    headers: Record<string, string>,
  ) => Promise<Given<Written>>;
  /** Which layer is being edited stands in the address under this name. */
  id: string;
}

export function LayerSection({ title, lead, of, may, put, id }: LayerOf) {
  const [editing, setEditing] = useSearchParam("edit");
  const isOpen = editing === id && may.allowed;
  return (
    <Section
      title={title}
      lead={lead}
      actions={
        !isOpen && (
          <Verb
            may={may}
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(id)}
          >
            Edit
          </Verb>
        )
      }
    >
      <Face of={of} rows={3}>
        {(overlay) =>
          isOpen ? (
            <Edit
              key={overlay.version}
              overlay={overlay}
              put={put}
              onClose={() => setEditing("")}
            />
          ) : (
            <Shown overlay={overlay} />
          )
        }
      </Face>
    </Section>
  );
}

function Shown({ overlay }: { overlay: Overlay }) {
  return (
    <Stack gap="xs">
      <LayerLimits document={overlay.document} />
      {overlay.updated_at && (
        <Text size="xs" c="dimmed">
          Written <Ago at={overlay.updated_at} />
        </Text>
      )}
    </Stack>
  );
}

function Edit({
  overlay,
  put,
  onClose,
}: {
  overlay: Overlay;
  put: LayerOf["put"];
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(overlay.document));
  const [checked, setChecked] = useState<Written | null>(null);
  const writing = (dry: boolean) => (body: Schemas["OverlayWrite"], headers: object) =>
    put(body, dry, { ...headers, "if-match": `"${overlay.version}"` });
  const check = useAct(writing(true), { quiet: true, onDone: setChecked });
  const save = useAct(writing(false), { quiet: true, done: "The policy holds.", onDone: onClose });
  const body = { document: documentOf(draft) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check.mutate(body);
  };
  return (
    <>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <DraftForm draft={draft} onChange={setDraft} />
          {check.error && (
            <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={check.error.title}>
              <WhyRefused refusal={check.error} />
            </Alert>
          )}
          <Group gap="xs">
            <Button type="submit" loading={check.isPending}>
              Check, then save
            </Button>
            <Button variant="default" onClick={onClose}>
              Leave it as it was
            </Button>
          </Group>
        </Stack>
      </form>
      {/* Not within the form: what is submitted in a dialog would be submitted there, too. */}
      {checked && (
        <Ask
          title="What this would change"
          opened
          onClose={() => setChecked(null)}
          verb={checked.breaks.count > 0 ? "Save it nevertheless" : "Save"}
          danger={checked.breaks.count > 0}
          size="lg"
          busy={save.isPending}
          refusal={save.error}
          onSubmit={() => save.mutate(body)}
        >
          <Breaks of={checked} />
        </Ask>
      )}
    </>
  );
}

function Breaks({ of }: { of: Written }) {
  const { breaks, notes } = of;
  return (
    <Stack gap="sm">
      {breaks.count === 0 ? (
        <Alert color="teal" icon={<IconCircleCheck aria-hidden />}>
          It takes nothing away from anybody below.
        </Alert>
      ) : (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={`It takes ${plural(breaks.count, "thing")} away`}
        >
          <List size="sm" spacing={4}>
            {breaks.items.map((item) => (
              <List.Item key={`${item.sentence}${item.entitlement_id ?? item.project_id}`}>
                {breakWords(item)}
              </List.Item>
            ))}
          </List>
          {!breaks.complete && (
            <Text size="sm" mt={4}>
              And more: these are the first of them.
            </Text>
          )}
        </Alert>
      )}
      {notes.map((note) => (
        <Text size="sm" key={note}>
          {note}
        </Text>
      ))}
      <Text size="sm" c="dimmed">
        What runs already goes on. New requests are held to it from the moment you save.
      </Text>
    </Stack>
  );
}
