/** One request and everything that came of it: the cause first, then what to do, then all in order. */
import {
  Anchor,
  Box,
  Button,
  Chip,
  Code,
  Collapse,
  Group,
  Stack,
  Text,
  TextInput,
  ThemeIcon,
} from "@mantine/core";
import {
  type Icon,
  IconBan,
  IconCircleCheckFilled,
  IconCircleMinus,
  IconCircleXFilled,
  IconHandClick,
  IconListDetails,
  IconProgressCheck,
  IconSearch,
  IconStethoscope,
  IconTerminal2,
  IconTimelineEvent,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { Ago } from "@/components/Ago";
import { Lines } from "@/components/Copy";
import { Empty, Failed, Loading } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { ask, Refusal, type Schemas } from "@/lib/api";
import { between, kindWords, moment, plural, sentence } from "@/lib/format";
import { useNow } from "@/lib/now";
import { useSearchParam } from "@/lib/search";
import { layerWords } from "@/pages/projects/policy/words";
import { type Line, since, told } from "@/pages/triage/moments";

type Triage = Schemas["TriageRead"];

export function TriagePage() {
  const { correlation } = useParams({ strict: false });
  return (
    <Page
      title="Triage"
      name={correlation ? `Triage of ${correlation}` : "Triage"}
      lead="Everything the platform does carries the id of the request that it began with. Give the id, and see what came of it and why."
    >
      <Finder key={correlation} given={correlation ?? ""} />
      {correlation ? <Found correlation={correlation} /> : <WhereFrom />}
    </Page>
  );
}

function Finder({ given }: { given: string }) {
  const navigate = useNavigate();
  const [id, setId] = useState(given);
  const find = (event: FormEvent) => {
    event.preventDefault();
    const correlation = id.trim();
    if (correlation) void navigate({ to: "/triage/$correlation", params: { correlation } });
  };
  return (
    <form onSubmit={find}>
      <Group gap="xs" align="flex-end" wrap="nowrap" maw={640}>
        <TextInput
          label="Correlation id"
          placeholder="Paste the id here"
          spellCheck={false}
          autoComplete="off"
          autoFocus={given === ""}
          style={{ flex: 1 }}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <Button
          type="submit"
          leftSection={<IconSearch size={16} aria-hidden />}
          disabled={id.trim() === ""}
        >
          Find
        </Button>
      </Group>
    </form>
  );
}

function WhereFrom({ unknown = false }: { unknown?: boolean }) {
  return (
    <Section>
      <Empty
        icon={IconStethoscope}
        title={unknown ? "Nothing is known under this id" : "Where do I find an id?"}
      >
        {unknown && (
          <Text mb="xs">
            Perhaps a character is missing, or it belongs to a project in which you have no role.
          </Text>
        )}
        An id is 26 letters and digits, as in <Code>01m7jjzf7kf8dvc70dx6e0pvd5</Code>, or whatever
        your own tool sent along. It stands in every error message here and of <Code>moor</Code>, on
        every operation, in every entry of the audit record and in every event.
      </Empty>
    </Section>
  );
}

function Found({ correlation }: { correlation: string }) {
  const found = useQuery(ask("/v1/triage/{correlation}", { correlation }));
  if (found.data) return <Content of={found.data} />;
  if (found.error instanceof Refusal && (found.error.isAbsent || found.error.status === 422))
    return <WhereFrom unknown />;
  if (found.error) return <Failed error={found.error} retry={() => void found.refetch()} />;
  return <Loading />;
}

function Content({ of }: { of: Triage }) {
  const lines = useMemo(() => told(of.timeline), [of.timeline]);
  const first = lines[0]?.at;
  const refusal = lines.find((line) => line.kind === "refusal");
  const refused = of.policy.some((layer) => layer.allowed === false);
  return (
    <>
      <Verdict of={of} refusal={refusal ?? null} />
      {of.next.length > 0 && <NextSteps of={of} />}
      {refused && <PolicyLayers of={of.policy} />}
      {of.operations.length > 0 && <Operations of={of.operations} />}
      {first && <Timeline lines={lines} first={first} />}
      {!refused && of.policy.length > 0 && <PolicyLayers of={of.policy} />}
    </>
  );
}

/** What a person wants to know first: did it work, and if not, why. */
function Verdict({ of, refusal }: { of: Triage; refusal: Line | null }) {
  if (of.cause) return <Cause of={of.cause} />;
  if (refusal) return <Refused line={refusal} />;
  const open = of.operations.filter((each) => each.ended_at === null);
  const [Mark, colour, words] =
    open.length > 0
      ? ([IconCircleMinus, "harbour", `${plural(open.length, "operation")} under way.`] as const)
      : ([IconCircleCheckFilled, "teal", "Nothing failed."] as const);
  return (
    <Section>
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon variant="light" color={colour} size="lg" radius="xl">
          <Mark size={20} aria-hidden />
        </ThemeIcon>
        <Text fw={600}>{words}</Text>
      </Group>
    </Section>
  );
}

function Refused({ line }: { line: Line }) {
  return (
    <Section title="Why it was refused" lead="Nothing was changed by it.">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <ThemeIcon variant="light" color="red" size="lg" radius="xl">
          <IconCircleXFilled size={20} aria-hidden />
        </ThemeIcon>
        <div>
          <Text fw={600} style={{ overflowWrap: "anywhere" }}>
            {line.said ?? line.words}
          </Text>
          {line.said && (
            <Text size="sm" c="dimmed">
              {line.words}
            </Text>
          )}
        </div>
      </Group>
    </Section>
  );
}

function Cause({ of }: { of: Schemas["CauseRead"] }) {
  return (
    <Section title="Why it failed">
      <Stack gap="sm">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <ThemeIcon variant="light" color="red" size="lg" radius="xl">
            <IconCircleXFilled size={20} aria-hidden />
          </ThemeIcon>
          <div>
            <Text fw={600} style={{ overflowWrap: "anywhere" }}>
              {of.message}
            </Text>
            <Text size="sm" c="dimmed">
              {[
                sentence(of.code),
                of.step && `in the step “${sentence(of.step)}”`,
                of.exit_code !== null && `exit code ${of.exit_code}`,
              ]
                .filter(Boolean)
                .join(" · ")}
            </Text>
          </div>
        </Group>
        {of.log.length > 0 && (
          <Lines text={of.log.join("\n")} what="the last lines it wrote" maxHeight={260} />
        )}
        <ToOperation id={of.operation_id}>Open the operation</ToOperation>
      </Stack>
    </Section>
  );
}

function ToOperation({ id, children }: { id: string; children: React.ReactNode }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link to="/operations/$operation" params={{ operation: id }} {...props} />
      )}
    >
      {children}
    </Anchor>
  );
}

function NextSteps({ of }: { of: Triage }) {
  const kinds = new Map(of.operations.map((each) => [each.id, kindWords(each.kind, each.action)]));
  return (
    <Section title="What to do next">
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {of.next.map((step) => (
          <Group
            key={`${step.verb}${step.operation_id}`}
            component="li"
            justify="space-between"
            gap="sm"
          >
            <Box style={{ flex: "1 1 280px" }}>
              <Text size="sm" fw={600}>
                {sentence(step.verb)}: {kinds.get(step.operation_id) ?? "the operation"}
              </Text>
              <Text size="sm" c="dimmed">
                {step.text}
              </Text>
            </Box>
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => (
                <Link
                  to="/operations/$operation"
                  params={{ operation: step.operation_id }}
                  {...props}
                />
              )}
            >
              {sentence(step.verb)} it there
            </Button>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

export function PolicyLayers({ of }: { of: Schemas["TriageLayerRead"][] }) {
  const [all, setAll] = useState(false);
  const against = of.filter((layer) => layer.allowed === false);
  const shown = all ? of : against;
  return (
    <Section
      title="What policy says to it now"
      actions={
        <Button size="compact-sm" variant="subtle" onClick={() => setAll(!all)}>
          {all ? "Only what stands in the way" : `All ${of.length} layers`}
        </Button>
      }
    >
      {shown.length === 0 ? (
        <Text size="sm">No layer stands in the way.</Text>
      ) : (
        <Stack gap="sm">
          {shown.map((layer) => (
            <Layer key={`${layer.layer}${layer.sentence}`} of={layer} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

const SAYS = {
  yes: [IconCircleCheckFilled, "teal", "Allows it"],
  no: [IconCircleXFilled, "red", "Refuses it"],
  silent: [IconCircleMinus, "gray", "Says nothing"],
} as const;

export function Layer({ of }: { of: Schemas["TriageLayerRead"] }) {
  const [Mark, colour, words] = SAYS[of.allowed === null ? "silent" : of.allowed ? "yes" : "no"];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color={colour} size="sm" mt={1}>
        <Mark size={18} role="img" aria-label={words} />
      </ThemeIcon>
      <div>
        <Text size="sm" fw={600}>
          {layerWords(of.layer)}
        </Text>
        <Text size="sm" c={of.allowed === false ? undefined : "dimmed"}>
          {of.sentence}
        </Text>
        {of.allowed === false && of.who_can_change && (
          <Text size="sm" c="dimmed">
            Who can change it: {of.who_can_change}.
          </Text>
        )}
      </div>
    </Group>
  );
}

function Operations({ of }: { of: Triage["operations"] }) {
  const [all, setAll] = useState(false);
  const few = 6;
  return (
    <Section title="Operations">
      <Stack gap="xs">
        {(all ? of : of.slice(0, few)).map((each) => (
          <Group key={each.id} gap={8}>
            <Status word={each.status} />
            <ToOperation id={each.id}>{kindWords(each.kind, each.action)}</ToOperation>
            <Text size="sm" c="dimmed">
              asked for by {each.requested_by_name} <Ago at={each.created_at} />
            </Text>
          </Group>
        ))}
        {of.length > few && (
          <Button size="compact-sm" variant="subtle" onClick={() => setAll(!all)}>
            {all ? "Show fewer" : `Show all ${of.length}`}
          </Button>
        )}
      </Stack>
    </Section>
  );
}

const KINDS: Record<Line["kind"], readonly [icon: Icon, one: string, many: string]> = {
  request: [IconHandClick, "Request", "Requests"],
  refusal: [IconBan, "Refusal", "Refusals"],
  operation: [IconListDetails, "Operation", "Operations"],
  step: [IconProgressCheck, "Step", "Steps"],
  task: [IconTerminal2, "Task on a machine", "Tasks on machines"],
  event: [IconTimelineEvent, "Event", "Events"],
};

function Timeline({ lines, first }: { lines: Line[]; first: string }) {
  const [hidden, setHidden] = useSearchParam("without");
  const without = hidden === "" ? [] : hidden.split(",");
  const there = (Object.keys(KINDS) as Line["kind"][]).filter((kind) =>
    lines.some((line) => line.kind === kind),
  );
  const shown = lines.filter((line) => !without.includes(line.kind));
  return (
    <Section title="All in order" lead={`It began on ${moment(first)}.`}>
      <Stack gap="md">
        {there.length > 1 && (
          <Chip.Group
            multiple
            value={there.filter((kind) => !without.includes(kind))}
            onChange={(chosen) =>
              setHidden(there.filter((kind) => !chosen.includes(kind)).join(","))
            }
          >
            <Group gap={6} role="group" aria-label="What is shown">
              {there.map((kind) => (
                <Chip key={kind} value={kind} size="xs" variant="outline">
                  {KINDS[kind][2]}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        )}
        <Box component="ol" m={0} p={0} style={{ listStyle: "none" }}>
          {shown.map((line) => (
            <Entry key={line.key} line={line} first={first} />
          ))}
        </Box>
      </Stack>
    </Section>
  );
}

function Entry({ line, first }: { line: Line; first: string }) {
  const [open, setOpen] = useState(false);
  const now = useNow();
  const [Mark, kind] = KINDS[line.kind];
  const bad = line.status === "failed" || line.kind === "refusal";
  return (
    <Box
      component="li"
      py={8}
      style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}
    >
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Text
          size="xs"
          c="dimmed"
          className="numbers"
          w={76}
          ta="right"
          pt={3}
          style={{ flexShrink: 0 }}
          title={moment(line.at)}
        >
          {since(first, line.at)}
        </Text>
        <ThemeIcon variant="light" color={bad ? "red" : "gray"} size="sm" radius="xl" mt={1}>
          <Mark size={13} role="img" aria-label={kind} />
        </ThemeIcon>
        <Box style={{ flex: 1, minWidth: 0 }}>
          <Group gap={8}>
            <Text size="sm" fw={line.kind === "event" ? 400 : 550}>
              {line.words}
            </Text>
            {line.status && <Status word={line.status} />}
            {line.until && (
              <Text size="xs" c="dimmed" className="numbers">
                {between(line.at, line.until, now)}
              </Text>
            )}
          </Group>
          {line.said && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {line.said}
            </Text>
          )}
          {line.log.length > 0 && (
            <>
              <Button size="compact-xs" variant="subtle" onClick={() => setOpen(!open)}>
                {open ? "Hide what it wrote" : "What it wrote last"}
              </Button>
              <Collapse expanded={open}>
                <Lines text={line.log.join("\n")} what="what the task wrote" maxHeight={240} />
              </Collapse>
            </>
          )}
        </Box>
      </Group>
    </Box>
  );
}
