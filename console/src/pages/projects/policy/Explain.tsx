/** "May I?": what every layer says to something before anybody asks for it. */
import { Group, Select, SimpleGrid, Stack, Text, TextInput, ThemeIcon } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCircleCheckFilled, IconCircleXFilled } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Face } from "@/components/Faces";
import { Section } from "@/components/Section";
import { answer, client, type Key, type Schemas } from "@/lib/api";
import { useSearchParam } from "@/lib/search";
import { GROWING, useKnown } from "@/pages/projects/policy/known";
import { operationWords } from "@/pages/projects/policy/words";
import { Layer } from "@/pages/triage/TriagePage";

type Question = Schemas["PolicyQuestion"];

const WITHOUT_APP = ["allocate", "node.session"];

/** The answer changes nothing, so it is kept and made old like any other that was read. */
function askWhether(question: Question) {
  return {
    queryKey: ["/v1/policy/explain", {}, question] as Key,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      answer(client.POST("/v1/policy/explain", { body: question, signal })),
    placeholderData: keepPreviousData,
  };
}

export function Explain({ project }: { project: string }) {
  const known = useKnown();
  const [operation, setOperation] = useSearchParam("do", "instance.deploy");
  const [app, setApp] = useSearchParam("app");
  const [region, setRegion] = useSearchParam("region");
  const [sku, setSku] = useSearchParam("sku");
  const [version, setVersion] = useSearchParam("version");
  const [number] = useDebouncedValue(version.trim(), 300);
  const alone = WITHOUT_APP.includes(operation);
  const id = known.apps.find((each) => each.slug === app)?.id;
  const question: Question = {
    project,
    operation: operation as Question["operation"],
    app: alone ? null : (id ?? null),
    region: region || null,
    sku: sku || null,
    version: alone ? null : number || null,
    artifact_sources: [],
  };
  const ready = alone || id !== undefined;
  const found = useQuery({ ...askWhether(question), enabled: ready });
  const choose = (values: string[]) => values.map((value) => ({ value, label: value }));
  return (
    <Section
      title="May I?"
      lead="Say what somebody would like to do in this project, and see what each layer says to it."
    >
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }}>
          <Select
            label="What"
            allowDeselect={false}
            searchable
            value={operation}
            onChange={(value) => setOperation(value ?? "instance.deploy")}
            data={GROWING.map((kind) => ({ value: kind, label: operationWords(kind) }))}
          />
          <Select
            label="App"
            searchable
            clearable
            disabled={alone}
            placeholder={alone ? "None is involved" : "Choose one"}
            value={app || null}
            onChange={(value) => setApp(value ?? "")}
            data={known.apps.map((each) => ({ value: each.slug, label: each.name }))}
          />
          <Select
            label="Region"
            clearable
            placeholder="Any"
            value={region || null}
            onChange={(value) => setRegion(value ?? "")}
            data={choose(known.lists.regions)}
          />
          <Select
            label="SKU"
            clearable
            placeholder="Any"
            value={sku || null}
            onChange={(value) => setSku(value ?? "")}
            data={choose(known.lists.skus)}
          />
          <TextInput
            label="Version"
            placeholder="The entitled one"
            disabled={alone}
            value={version}
            onChange={(event) => setVersion(event.currentTarget.value)}
          />
        </SimpleGrid>
        {ready ? (
          <Face of={found}>{(decision) => <Decision of={decision} />}</Face>
        ) : (
          <Text size="sm" c="dimmed">
            Choose an app to see the answer.
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Decision({ of }: { of: Schemas["DecisionRead"] }) {
  const [Mark, colour] = of.allowed
    ? ([IconCircleCheckFilled, "teal"] as const)
    : ([IconCircleXFilled, "red"] as const);
  return (
    <Stack gap="md" aria-live="polite">
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon variant="light" color={colour} size="lg" radius="xl">
          <Mark size={20} aria-hidden />
        </ThemeIcon>
        <div>
          <Text fw={600}>{of.allowed ? "Yes, policy allows it." : "No, policy refuses it."}</Text>
          {of.version && (
            <Text size="sm" c="dimmed">
              It would be version {of.version.number}.
              {of.held_back &&
                ` Version ${of.held_back.number} is held back: ${of.held_back.sentence}`}
            </Text>
          )}
        </div>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {of.verdicts.map((verdict) => (
          <Layer key={`${verdict.layer}${verdict.sentence}`} of={verdict} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
