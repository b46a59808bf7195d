/**
 * What would happen, before it does: what is lost, who is touched, what it costs, and whether every
 * layer of policy lets it.
 */
import {
  Alert,
  Box,
  Collapse,
  Group,
  List,
  SimpleGrid,
  Stack,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconAlertTriangle,
  IconChevronDown,
  IconChevronRight,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Diff } from "@/components/Diff";
import type { Schemas } from "@/lib/api";
import { money } from "@/lib/format";
import { distinct, effectWords, few, touched, type Verdict } from "@/lib/plan";

type Plan = Schemas["PlanRead"];

export function PlanSummary({
  plan,
  before,
  schema,
  warnings = [],
}: {
  plan: Plan;
  /** The configuration as it is, where there is one: what differs is shown. */
  before?: unknown;
  /** Of the configuration; gives its fields their names. */
  schema?: unknown;
  warnings?: ReactNode[];
}) {
  const changes = before !== undefined && plan.changes.length > 0;
  return (
    <Stack gap="md">
      <Policy policy={plan.policy} />
      {plan.loses.length > 0 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="What will be lost">
          <List size="sm" spacing={4}>
            {plan.loses.map((loss) => (
              <List.Item key={loss}>{loss}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Before you go on">
          {warnings}
        </Alert>
      )}
      {changes && (
        <Part title="What changes">
          <Diff
            before={before}
            after={plan.config}
            schema={schema}
            note={({ path }) => (
              <Text size="xs" c="dimmed">
                {effectWords(effectOf(plan, path))}
              </Text>
            )}
          />
        </Part>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Part title="Members">
          <Members plan={plan} />
        </Part>
        <Part title="Cost">
          <Cost cost={plan.cost} />
        </Part>
      </SimpleGrid>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box miw={0}>
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        {title}
      </Text>
      {children}
    </Box>
  );
}

/** The plan names fields as pointers; a field below one has its effect. */
function effectOf(plan: Plan, path: readonly string[]): Plan["effect"] {
  const pointer = `/${path.join("/")}/`;
  return plan.changes.find((each) => pointer.startsWith(`${each.field}/`))?.effect ?? plan.effect;
}

function Members({ plan }: { plan: Plan }) {
  const groups = touched(plan);
  if (groups.length === 0) return <Text size="sm">None is touched.</Text>;
  const unnamed = plan.members_total - plan.members.length;
  return (
    <Stack gap={6}>
      {groups.map((group) => (
        <div key={`${group.component} ${group.words}`}>
          <Text size="sm">
            <b>{group.component}</b>: {group.words}
          </Text>
          <Text size="xs" c="dimmed">
            {few(group.names)}
          </Text>
        </div>
      ))}
      {unnamed > 0 && (
        <Text size="xs" c="dimmed">
          and {unnamed.toLocaleString("en")} more
        </Text>
      )}
    </Stack>
  );
}

function Cost({ cost }: { cost: Plan["cost"] }) {
  if (cost.length === 0) return <Text size="sm">No machine is held, so nothing.</Text>;
  return (
    <Stack gap={2}>
      {cost.map((each) => {
        const then = money(each.after_micros_per_hour, each.currency);
        const changes = each.before_micros_per_hour !== each.after_micros_per_hour;
        return (
          <Text key={each.currency} size="sm" className="numbers">
            <b>{then} per hour</b>
            {changes
              ? `, now ${money(each.before_micros_per_hour, each.currency)}`
              : ", as it is now"}
          </Text>
        );
      })}
      <Text size="xs" c="dimmed">
        An estimate, not a bill: {cost[0]?.label.split(":")[0]}.
      </Text>
    </Stack>
  );
}

function Policy({ policy }: { policy: Plan["policy"] }) {
  const [open, { toggle }] = useDisclosure();
  const refusals = policy.verdicts.filter((each) => each.allowed === false);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const all = (
    <Box>
      <UnstyledButton onClick={toggle} aria-expanded={open} fz="sm" fw={600}>
        <Group gap={6} wrap="nowrap">
          {policy.allowed && (
            <IconCircleCheckFilled size={18} color="var(--mantine-color-teal-6)" aria-hidden />
          )}
          {policy.allowed ? "Allowed by every layer of policy" : "What each layer says"}
          <Chevron size={14} aria-hidden />
        </Group>
      </UnstyledButton>
      <Collapse expanded={open}>
        <Stack gap={6} pt="xs">
          {distinct(policy.verdicts).map(({ layers, verdict }) => (
            <Said key={layers} layers={layers} verdict={verdict} />
          ))}
        </Stack>
      </Collapse>
    </Box>
  );
  if (policy.allowed) return all;
  return (
    <Alert color="red" icon={<IconCircleXFilled aria-hidden />} title="Not allowed">
      <Stack gap="sm">
        {refusals.map((each) => (
          <div key={each.layer}>
            <Text size="sm">{each.sentence}</Text>
            {each.who_can_change && (
              <Text size="sm" c="dimmed">
                It can be changed by: {each.who_can_change}.
              </Text>
            )}
          </div>
        ))}
        {all}
      </Stack>
    </Alert>
  );
}

const MARKS = {
  yes: [IconCircleCheckFilled, "teal", "allows"],
  no: [IconCircleXFilled, "red", "refuses"],
  unasked: [IconCircleDashed, "gray", "not asked"],
} as const;

function Said({ layers, verdict }: { layers: string; verdict: Verdict }) {
  const said = verdict.allowed === null ? "unasked" : verdict.allowed ? "yes" : "no";
  const [Mark, colour, words] = MARKS[said];
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <Mark
        size={15}
        aria-label={words}
        style={{ flexShrink: 0, marginTop: 3 }}
        color={`var(--mantine-color-${colour}-6)`}
      />
      <Text size="sm">
        <Text span inherit fw={600}>
          {layers}
        </Text>{" "}
        {verdict.sentence}
      </Text>
    </Group>
  );
}
