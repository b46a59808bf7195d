/** Everything once more, with what the platform makes of it: who acts, what policy says, what it costs. */
import { Alert, Button, Group, List, Select, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconUserOff } from "@tabler/icons-react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ago } from "@/components/Ago";
import { Powers } from "@/components/AsksFor";
import { Empty, Face, Failed, Loading } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { PlanSummary } from "@/components/PlanSummary";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { ToButton } from "@/components/To";
import { Verb } from "@/components/Verb";
import { ToTriage } from "@/components/WhyRefused";
import { useAct } from "@/lib/act";
import { ask, client, Refusal, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { sentence } from "@/lib/format";
import { manifestOf } from "@/lib/manifest";
import { useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import { keep, placedOf, type Step, said, stepOf } from "@/pages/projects/catalog/deploy/draft";
import type { StepProps } from "@/pages/projects/catalog/deploy/props";
import { useMayDeploy } from "@/pages/projects/catalog/offers";

type Operator = Schemas["AppOperatorRead"];

const MENDS: Record<Step, string> = {
  name: "Change name and version",
  placement: "Change machines",
  config: "Change configuration",
  review: "Look again",
};

interface ReviewProps extends StepProps {
  missing: Step;
  operator: Operator | undefined;
  operators: UseQueryResult<Schemas["PageRead_AppOperatorRead_"]>;
  asked: Schemas["DeployPlanWrite"] | undefined;
  plan: UseQueryResult<Schemas["PlanRead"]>;
  act: ReturnType<typeof useDeploy>;
}

export function ReviewStep(props: ReviewProps) {
  const { go, missing } = props;
  if (missing !== "review")
    return (
      <Empty
        icon={IconAlertTriangle}
        title="Something is still missing"
        action={<Button onClick={() => go(missing)}>{MENDS[missing]}</Button>}
      >
        {missing === "name" ? "It needs a name." : "Some component has no machines to stand on."}
      </Empty>
    );
  return (
    <Stack gap="md">
      <Chosen {...props} />
      <Face of={props.operators}>{() => <WhoActs {...props} />}</Face>
      {props.operator && (
        <Section title="What will happen">
          <Outcome {...props} />
        </Section>
      )}
      <End {...props} />
    </Stack>
  );
}

function Chosen({ draft, version, go }: ReviewProps) {
  const project = useThisProject();
  const held = usePages(
    "/v1/projects/{project}/allocations",
    { project: project.id },
    { live: true, limit: 200 },
  );
  const names = (id: string) => held.items.find((each) => each.id === id)?.name ?? id;
  const { components } = manifestOf(version);
  const placed = Object.entries(components).map(
    ([key, component]) =>
      [sentence(key), said(placedOf(draft, key, component), names)] as [string, string],
  );
  return (
    <Section
      title="What you chose"
      actions={(["name", "placement", "config"] as const).map((step) => (
        <Button key={step} size="compact-sm" variant="subtle" onClick={() => go(step)}>
          {MENDS[step]}
        </Button>
      ))}
    >
      <Facts of={[["Name", draft.name], ["Version", version.number], ...placed]} columns={3} />
    </Section>
  );
}

/** Who does the work, what they may do, and no more. */
function WhoActs({ operator, operators, standing, version, draft, onChange }: ReviewProps) {
  const path = usePath();
  const diff = useQuery({
    ...ask(
      "/v1/entitlements/{entitlement}/diff",
      { entitlement: standing.entitlement?.id ?? "" },
      { version: version.id },
    ),
    enabled: standing.entitlement !== null,
  });
  const all = operators.data?.items ?? [];
  if (!operator)
    return (
      <Section title="Who operates it">
        <Empty
          icon={IconUserOff}
          title="Nobody operates this app for you yet"
          action={<ToButton to={path("publishing")}>Register an operator of your own</ToButton>}
        >
          Its publisher has registered no operator. You can run its controller yourself.
        </Empty>
      </Section>
    );
  return (
    <Section
      title="Who operates it"
      lead="A program of theirs carries out what you ask for. It acts on this instance alone, only while it is asked to."
    >
      <Stack gap="md">
        {all.length > 1 ? (
          <Select
            label="Operator"
            data={all.map((each) => ({ value: each.id, label: `${each.name} (${serves(each)})` }))}
            value={operator.id}
            onChange={(value) => onChange({ ...draft, operator: value })}
            allowDeselect={false}
            maw={420}
          />
        ) : (
          <Group gap="sm">
            <Text fw={600}>{operator.name}</Text>
            <Text c="dimmed">{serves(operator)}</Text>
          </Group>
        )}
        <Listening operator={operator} />
        {diff.data && (
          <div>
            <Text size="xs" c="dimmed" fw={600} mb={6}>
              It may, and nothing else
            </Text>
            <Powers declaration={diff.data.declaration} />
          </div>
        )}
      </Stack>
    </Section>
  );
}

function serves(operator: Operator): string {
  return operator.serves === "publisher" ? "run by the publisher" : "run by this project";
}

/** Known of those who serve something here already. */
function Listening({ operator }: { operator: Operator }) {
  const project = useThisProject();
  const there = usePages(
    "/v1/projects/{project}/instances",
    { project: project.id },
    { limit: 200 },
  );
  const seen = there.items.find((each) => each.operator?.id === operator.id)?.operator;
  if (!seen) return null;
  return seen.listening ? (
    <Group gap="xs">
      <Status word="live" label="Listening" />
      <Text size="sm">It takes up work at once.</Text>
    </Group>
  ) : (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="It is not listening now">
      Nothing happens until it is back; it was last heard of <Ago at={seen.last_seen_at} />.
    </Alert>
  );
}

function Outcome({ plan, version, go }: ReviewProps) {
  if (plan.error) return <Refused refusal={plan.error} go={go} retry={() => void plan.refetch()} />;
  if (!plan.data) return <Loading rows={4} />;
  return <PlanSummary plan={plan.data} schema={manifestOf(version).config?.schema} />;
}

/** What was refused, and the way to the step where it can be mended. */
function Refused({
  refusal,
  go,
  retry,
}: {
  refusal: Error;
  go: (step: Step) => void;
  retry: () => void;
}) {
  if (!(refusal instanceof Refusal) || refusal.status === 0 || refusal.status >= 500)
    return <Failed error={refusal} retry={retry} />;
  const faults = refusal.faults.map((each) => ({ ...each, step: stepOf(each.location) }));
  const steps = new Set([...faults.map((each) => each.step), stepOf("", refusal.code)]);
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={refusal.title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{refusal.message}</Text>
        {faults.length > 1 && (
          <List size="sm">
            {faults.map((each) => (
              <List.Item key={each.location}>
                {each.location.split(".").slice(2).join(" ") || each.location} {each.message}
              </List.Item>
            ))}
          </List>
        )}
        <Group gap="xs">
          {[...steps].map(
            (step) =>
              step && (
                <Button key={step} size="xs" variant="default" onClick={() => go(step)}>
                  {MENDS[step]}
                </Button>
              ),
          )}
          {steps.size === 1 && steps.has(null) && (
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          <ToTriage refusal={refusal} />
        </Group>
      </Stack>
    </Alert>
  );
}

export function useDeploy(app: Schemas["AppRead"]) {
  const project = useThisProject();
  const path = usePath();
  const navigate = useNavigate();
  return useAct(
    (given: Schemas["InstanceCreate"], headers) =>
      client.POST("/v1/projects/{project}/instances", {
        params: { path: { project: project.id } },
        body: given,
        headers,
      }),
    {
      quiet: true,
      done: (given) => `${given.name} is being deployed`,
      onDone: (got) => {
        keep(project.id, app.id, null);
        void navigate({ to: path("instances", got.id) });
      },
    },
  );
}

function End({ go, asked, plan, act, standing }: ReviewProps) {
  const may = useMayDeploy(standing.entitlement);
  const ready = plan.data
    ? plan.data.policy.allowed
      ? YES
      : no("Policy does not allow it; see above.")
    : no("There is no plan of it yet; see above.");
  const stale = act.error?.code === "plan_stale";
  return (
    <Stack gap="sm">
      {act.error && (
        <Refused
          refusal={act.error}
          go={go}
          retry={() => {
            act.reset();
            void plan.refetch();
          }}
        />
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={() => go("config")}>
          Back
        </Button>
        {stale ? (
          <Button
            onClick={() => {
              act.reset();
              void plan.refetch();
            }}
          >
            Plan again
          </Button>
        ) : (
          <Verb
            may={all(may, ready)}
            loading={act.isPending}
            onClick={() => {
              if (!asked || !plan.data) return;
              const { kind: _, ...given } = asked;
              act.mutate({ ...given, plan: plan.data.id } as Schemas["InstanceCreate"]);
            }}
          >
            Deploy {asked?.name ?? ""}
          </Verb>
        )}
      </Group>
    </Stack>
  );
}
