/** The configuration: as it is, as it could be, and as it was. */
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconAdjustments, IconAlertTriangle, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Diff } from "@/components/Diff";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import { SchemaForm } from "@/forms/SchemaForm";
import { ask, client, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { mayChange } from "@/lib/changes";
import { differences } from "@/lib/diff";
import { kindWords, plural } from "@/lib/format";
import { useThisInstance } from "@/lib/instance";
import { manifestOf } from "@/lib/manifest";
import { useCan } from "@/lib/me";
import type { Instance } from "@/lib/members";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { PlanDialog } from "@/pages/projects/instances/PlanDialog";

type Revision = Schemas["RevisionRead"];
type Config = Record<string, unknown>;

export function ConfigTab() {
  const instance = useThisInstance();
  const version = useQuery(ask("/v1/app-versions/{version}", { version: instance.version_id }));
  return (
    <Face of={version}>
      {(found) => {
        const schema = manifestOf(found).config?.schema;
        return (
          <Stack gap="lg">
            {schema ? (
              <Editor instance={instance} schema={schema} />
            ) : (
              <Empty icon={IconAdjustments} title="There is nothing to configure">
                This app declares no settings.
              </Empty>
            )}
            <History instance={instance} schema={schema} />
          </Stack>
        );
      }}
    </Face>
  );
}

function Editor({ instance, schema }: { instance: Instance; schema: Config }) {
  const can = useCan();
  const [draft, setDraft] = useState<{ of: number; config: Config } | null>(null);
  const [planned, setPlanned] = useState<Config | null>(null);
  const config = draft?.config ?? instance.config;
  const changes = differences(instance.config, wire(config));
  const allowed = mayChange("instance.configure", instance, can);
  const may = all(allowed, changes.length > 0 ? YES : no("Nothing has been changed yet."));
  const overtaken = draft !== null && draft.of !== instance.revision && changes.length > 0;
  return (
    <Section
      title="Settings"
      lead="Nothing happens before you have seen what it would do."
      actions={
        changes.length > 0 && (
          <Text size="sm" c="dimmed">
            {plural(changes.length, "field")} changed
          </Text>
        )
      }
    >
      <Stack gap="md">
        {!allowed.allowed && (
          <Alert color="gray" icon={<IconLock aria-hidden />}>
            {allowed.why}
          </Alert>
        )}
        <Drifted instance={instance} />
        {overtaken && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
            <Group justify="space-between">
              <Text size="sm">The configuration was changed by somebody else since you began.</Text>
              <Button size="xs" variant="default" onClick={() => setDraft(null)}>
                Begin with what it is now
              </Button>
            </Group>
          </Alert>
        )}
        <SchemaForm
          id="config"
          schema={schema}
          value={config}
          onChange={(value) =>
            setDraft({ of: draft?.of ?? instance.revision, config: value as Config })
          }
          onSubmit={(value) => {
            if (may.allowed) setPlanned(wire(value as Config));
          }}
          disabled={!allowed.allowed}
        >
          <Group justify="flex-end" gap="xs" mt="lg">
            {changes.length > 0 && (
              <Button variant="default" onClick={() => setDraft(null)}>
                Undo all changes
              </Button>
            )}
            {may.allowed ? (
              <Button type="submit">Review the change</Button>
            ) : (
              <Verb may={may} onClick={() => undefined}>
                Review the change
              </Verb>
            )}
          </Group>
        </SchemaForm>
      </Stack>
      {planned && (
        <PlanDialog
          instance={instance}
          title="Change the configuration"
          verb="Apply"
          wish={{ kind: "instance.configure", config: planned }}
          reason="none"
          schema={schema}
          apply={({ plan }, headers) =>
            client.POST("/v1/instances/{instance}/configure", {
              params: { path: { instance: instance.id } },
              body: { config: planned, plan },
              headers,
            })
          }
          onClose={() => setPlanned(null)}
        />
      )}
    </Section>
  );
}

/** A form keeps fields that were emptied as undefined; on the wire they are absent. */
function wire(config: Config): Config {
  return JSON.parse(JSON.stringify(config));
}

/** Somebody changed on a machine what the platform had set there. */
function Drifted({ instance }: { instance: Instance }) {
  const found = instance.conditions.filter(({ type, status }) => status && /drift/.test(type));
  return found.map((condition) => (
    <Alert
      key={condition.type}
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="What is on the machines differs from this"
    >
      {condition.reason}
    </Alert>
  ));
}

function History({ instance, schema }: { instance: Instance; schema: unknown }) {
  const revisions = usePages(
    "/v1/instances/{instance}/revisions",
    { instance: instance.id },
    { limit: 100 },
  );
  const [chosen, setChosen] = useSearchParam("revision");
  const shown = revisions.items.find((each) => String(each.number) === chosen);
  const before = shown && ranBefore(revisions.items, shown);
  const columns: Column<Revision>[] = [
    {
      id: "number",
      title: "Revision",
      value: (row) => row.number,
      show: (row) => (
        <Group gap="xs" wrap="nowrap">
          <b>{row.number}</b>
          {row.number === instance.revision && <Status word="active" label="Runs now" />}
        </Group>
      ),
    },
    {
      id: "what",
      title: "What was done",
      value: (row) => kindWords(row.kind),
      show: (row) => <To to={`/operations/${row.operation_id}`}>{kindWords(row.kind)}</To>,
    },
    {
      id: "version",
      title: "Version",
      value: (row) => row.app_version,
      show: (row) => row.app_version,
    },
    {
      id: "outcome",
      title: "Outcome",
      value: (row) => row.outcome,
      show: (row) => <Status {...OUTCOMES[row.outcome]} />,
    },
    {
      id: "when",
      title: "When",
      value: (row) => row.created_at,
      show: (row) => <Ago at={row.created_at} />,
    },
    {
      id: "who",
      title: "Who",
      value: (row) => row.created_by_name,
      show: (row) => row.created_by_name ?? "–",
    },
    {
      id: "more",
      title: "",
      align: "right",
      show: (row) => (
        <Button size="compact-sm" variant="subtle" onClick={() => setChosen(String(row.number))}>
          What changed
        </Button>
      ),
    },
  ];
  return (
    <Section
      title="History"
      lead="Every change is a revision. You can go back under Versions."
      flush
    >
      <ListFace of={revisions} empty={<Empty icon={IconAdjustments} title="No revision yet" />}>
        {(items) => (
          <Rows
            rows={items}
            columns={columns}
            rowKey={(row) => String(row.number)}
            noun="revision"
            hasMore={revisions.hasMore}
            isLoadingMore={revisions.isLoadingMore}
            loadMore={revisions.loadMore}
          />
        )}
      </ListFace>
      <Modal
        opened={shown !== undefined}
        onClose={() => setChosen("")}
        title={<Text fw={650}>Revision {shown?.number}</Text>}
        size="lg"
      >
        {shown && (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {kindWords(shown.kind)}, <Ago at={shown.created_at} span />
              {before
                ? `. Against revision ${before.number}, which ran before:`
                : ". It was the first; this is all that it set:"}
            </Text>
            {before && before.app_version !== shown.app_version && (
              <Text size="sm">
                Version {before.app_version} became {shown.app_version}.
              </Text>
            )}
            <Diff before={before?.config ?? {}} after={shown.config} schema={schema} />
          </Stack>
        )}
      </Modal>
    </Section>
  );
}

const OUTCOMES: Record<Revision["outcome"], { word: string; label: string }> = {
  applied: { word: "active", label: "Applied" },
  pending: { word: "pending", label: "Under way" },
  discarded: { word: "discarded", label: "Never ran" },
};

/** The one that ran when this one was asked for. */
function ranBefore(revisions: Revision[], one: Revision): Revision | undefined {
  return revisions
    .filter((each) => each.number < one.number && each.outcome === "applied")
    .sort((a, b) => b.number - a.number)[0];
}
