/** The record: who did what, to what, when, and who was refused what. */
import {
  Anchor,
  Badge,
  Button,
  Drawer,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconHistory, IconRosetteDiscountCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { CopyCode, Lines } from "@/components/Copy";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { ask, Refusal, type Schemas } from "@/lib/api";
import { deedWords } from "@/lib/deeds";
import { moment } from "@/lib/format";
import { useProjects } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { actorWords } from "@/pages/triage/moments";

type Entry = Schemas["EntryRead"];

export function AuditPage() {
  const [actor] = useSearchParam("actor");
  const [action] = useSearchParam("action");
  const [target] = useSearchParam("target");
  const [outcome] = useSearchParam("outcome");
  const [correlation] = useSearchParam("correlation");
  const [since] = useSearchParam("since");
  const [until] = useSearchParam("until");
  const [shown, setShown] = useSearchParam("entry");
  const { projects } = useProjects();
  const names = new Map(projects.map((each) => [each.id, each.name]));
  const entries = usePages(
    "/v1/audit",
    {},
    {
      newest_first: true,
      limit: 100,
      ...(actor && { actor }),
      ...(action && { action }),
      ...(target && { target }),
      ...(outcome && { outcome: outcome as "allowed" | "denied" }),
      ...(correlation && { correlation_id: correlation }),
      ...(since && { since: dayStart(since, 0) }),
      ...(until && { until: dayStart(until, 1) }),
    },
  );
  const filters = [actor, action, target, outcome, correlation, since, until].some(Boolean);
  return (
    <Page
      title="Audit"
      lead="Who did what, to what and when; and who was refused what. Nobody can change the record, and it is sealed so that anybody can prove it."
    >
      <Section>
        <Filters />
      </Section>
      <Section flush>
        <ListFace
          of={entries}
          empty={
            <Empty
              icon={IconHistory}
              title={filters ? "No entry fits" : "There is nothing on record yet"}
            >
              {filters
                ? "Take one of the filters away, or choose a longer time."
                : "Every change that somebody makes, and every refusal, will stand here."}
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns(names, setShown)}
              rowKey={(entry) => entry.id}
              noun="record"
              {...entries}
            />
          )}
        </ListFace>
      </Section>
      <Details id={shown} names={names} onClose={() => setShown("")} />
    </Page>
  );
}

/** A day begins and ends where the reader is. */
function dayStart(day: string, later: number): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}

const TEXTS = [
  ["actor", "Who", "Id of a person or account"],
  ["action", "What", "apps.instance.create"],
  ["target", "To what", "Id of anything"],
  ["correlation", "Correlation id", "Of one request"],
] as const;

function Filters() {
  const [outcome, setOutcome] = useSearchParam("outcome");
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      {TEXTS.map(([name, label, placeholder]) => (
        <TextFilter key={name} name={name} label={label} placeholder={placeholder} />
      ))}
      <Select
        label="Outcome"
        placeholder="Any"
        clearable
        value={outcome || null}
        onChange={(value) => setOutcome(value ?? "")}
        data={[
          { value: "allowed", label: "Done" },
          { value: "denied", label: "Refused" },
        ]}
      />
      <TextFilter name="since" label="From" type="date" />
      <TextFilter name="until" label="To" type="date" />
    </SimpleGrid>
  );
}

function TextFilter({
  name,
  label,
  placeholder,
  type = "text",
}: {
  name: string;
  label: string;
  placeholder?: string;
  type?: "text" | "date";
}) {
  const [value, setValue] = useSearchParam(name);
  const [typed, setTyped] = useState({ from: value, text: value });
  const settle = useDebouncedCallback(setValue, 400);
  // Somebody else wrote the address: a link, or the way back.
  if (typed.from !== value) setTyped({ from: value, text: value });
  return (
    <TextInput
      label={label}
      type={type}
      placeholder={placeholder}
      spellCheck={false}
      value={typed.text}
      onChange={(event) => {
        setTyped({ from: value, text: event.currentTarget.value });
        settle(event.currentTarget.value.trim());
      }}
    />
  );
}

function columns(names: Map<string, string>, open: (id: string) => void): Column<Entry>[] {
  return [
    {
      id: "at",
      title: "When",
      value: (entry) => entry.at,
      show: (entry) => <Ago at={entry.at} />,
    },
    {
      id: "deed",
      title: "Who did what",
      value: (entry) => `${sentenceOf(entry)} ${entry.target_name ?? ""}`,
      show: (entry) => (
        <>
          <Text size="sm">
            <b>{actorOf(entry)}</b> {deedOf(entry)}
            {entry.target_name && `: ${entry.target_name}`}
            {entry.count > 1 && ` (${entry.count} times)`}
          </Text>
          {entry.reason && (
            <Text size="xs" c="dimmed">
              “{entry.reason}”
            </Text>
          )}
        </>
      ),
    },
    {
      id: "outcome",
      title: "Outcome",
      value: (entry) => entry.outcome,
      show: (entry) => (
        <Group gap={6} wrap="nowrap">
          <Status word={entry.outcome} label={entry.outcome === "denied" ? "Refused" : "Done"} />
          {entry.break_glass && <Badge color="orange">Break-glass</Badge>}
        </Group>
      ),
    },
    {
      id: "where",
      title: "Where",
      value: (entry) => names.get(entry.project_id ?? ""),
      show: (entry) => names.get(entry.project_id ?? "") ?? (entry.project_id ? "A project" : "–"),
    },
    {
      id: "more",
      title: "",
      align: "right",
      show: (entry) => (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => open(entry.id)}
          aria-label={`Details: ${sentenceOf(entry)}`}
        >
          Details
        </Button>
      ),
    },
  ];
}

function actorOf(entry: Entry): string {
  return actorWords({ kind: entry.actor_kind, name: entry.actor_name });
}

function deedOf(entry: Entry): string {
  return entry.outcome === "denied"
    ? `was refused: ${deedWords(entry.action)}`
    : deedWords(entry.action);
}

function sentenceOf(entry: Entry): string {
  return `${actorOf(entry)} ${deedOf(entry)}`;
}

function Details({
  id,
  names,
  onClose,
}: {
  id: string;
  names: Map<string, string>;
  onClose: () => void;
}) {
  const found = useQuery({ ...ask("/v1/audit/{entry}", { entry: id }), enabled: id !== "" });
  return (
    <Drawer
      opened={id !== ""}
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={650}>An entry of the record</Text>}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Face of={found}>{(entry) => <Whole entry={entry} names={names} />}</Face>
    </Drawer>
  );
}

function Whole({ entry, names }: { entry: Entry; names: Map<string, string> }) {
  return (
    <Stack gap="lg">
      <Text fw={600}>{sentenceOf(entry)}</Text>
      <Facts
        of={[
          ["When", moment(entry.at)],
          ["Who", `${entry.actor_name} (${entry.actor_kind.replaceAll("_", " ")})`],
          ["Permission", <code key="action">{entry.action}</code>],
          [
            "To what",
            <Stack key="target" gap={2}>
              {entry.target_name}
              <CopyCode text={entry.target} what="the target" />
            </Stack>,
          ],
          ["Project", names.get(entry.project_id ?? "") ?? null],
          ["Reason", entry.reason],
          ["Number on record", entry.seq.toLocaleString("en")],
          [
            "Request",
            <Anchor
              key="request"
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/triage/$correlation"
                  params={{ correlation: entry.correlation_id }}
                  {...props}
                />
              )}
            >
              What came of it
            </Anchor>,
          ],
        ]}
      />
      {Object.keys(entry.details).length > 0 && (
        <div>
          <Text size="xs" c="dimmed" fw={600} mb={4}>
            Details
          </Text>
          <Lines text={JSON.stringify(entry.details, null, 2)} what="the details" maxHeight={260} />
        </div>
      )}
      <Proof entry={entry.id} />
    </Stack>
  );
}

function Proof({ entry }: { entry: string }) {
  const [wanted, setWanted] = useState(false);
  const proof = useQuery({ ...ask("/v1/audit/{entry}/proof", { entry }), enabled: wanted });
  if (!wanted)
    return (
      <Group>
        <Button
          variant="default"
          leftSection={<IconRosetteDiscountCheck size={17} aria-hidden />}
          onClick={() => setWanted(true)}
        >
          Show the proof
        </Button>
      </Group>
    );
  if (proof.error instanceof Refusal && !proof.data)
    return (
      <Text size="sm" c="dimmed" role="status">
        {proof.error.message}
      </Text>
    );
  return (
    <Face of={proof} rows={3}>
      {(found) => (
        <Stack gap="sm">
          <Text size="sm">
            It was sealed with number {found.seal.number}, together with {found.seal.entries - 1}{" "}
            other entries, on {moment(found.seal.at)}. Whoever has this proof and the platform’s
            public key can check it without asking anybody.
          </Text>
          <Lines text={JSON.stringify(found, null, 2)} what="the proof" maxHeight={220} />
          <Text size="xs" c="dimmed">
            {found.how_to_check}
          </Text>
        </Stack>
      )}
    </Face>
  );
}
