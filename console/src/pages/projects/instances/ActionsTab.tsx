/** What an app can be asked to do: its own verbs, drawn from what it declares. */
import { Box, NavLink, Select, Stack, Text, Tooltip } from "@mantine/core";
import { IconBolt, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Empty, Face } from "@/components/Faces";
import { Section } from "@/components/Section";
import { ask } from "@/lib/api";
import { useThisInstance } from "@/lib/instance";
import type { Instance } from "@/lib/members";
import { useSearchParam } from "@/lib/search";
import type { Action } from "@/lib/views";
import { mayRun, RunAction } from "@/pages/projects/instances/RunAction";
import "@/pages/projects/instances/tabs.css";

export function ActionsTab() {
  const instance = useThisInstance();
  const actions = useQuery(ask("/v1/instances/{instance}/actions", { instance: instance.id }));
  return (
    <Face of={actions}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={IconBolt} title="This app has no actions of its own">
            What can be done with every app stands under Members and Lifecycle.
          </Empty>
        ) : (
          <Actions instance={instance} actions={items} />
        )
      }
    </Face>
  );
}

function Actions({ instance, actions }: { instance: Instance; actions: Action[] }) {
  const [name, setName] = useSearchParam("action");
  const first = actions.find((each) => mayRun(each, instance).allowed) ?? actions[0];
  const chosen = actions.find((each) => each.name === name) ?? first;
  return (
    <Box className="beside">
      <Select
        hiddenFrom="sm"
        label="Action"
        allowDeselect={false}
        data={groups(actions).map(([group, members]) => ({
          group,
          items: members.map((each) => ({ value: each.name, label: each.title })),
        }))}
        value={chosen?.name ?? null}
        onChange={(value) => setName(value ?? "")}
      />
      <Stack component="nav" gap="md" aria-label="Actions" visibleFrom="sm">
        {groups(actions).map(([title, members]) => (
          <div key={title}>
            <Text size="xs" c="dimmed" fw={600} px="sm" pb={4}>
              {title}
            </Text>
            {members.map((action) => (
              <Entry
                key={action.name}
                action={action}
                instance={instance}
                active={action === chosen}
                onClick={() => setName(action.name)}
              />
            ))}
          </div>
        ))}
      </Stack>
      {chosen && (
        <Section title={chosen.title}>
          <RunAction key={chosen.name} instance={instance} action={chosen} />
        </Section>
      )}
    </Box>
  );
}

function Entry({
  action,
  instance,
  active,
  onClick,
}: {
  action: Action;
  instance: Instance;
  active: boolean;
  onClick: () => void;
}) {
  const may = mayRun(action, instance);
  return (
    <NavLink
      component="button"
      type="button"
      label={action.title}
      c={may.allowed ? undefined : "dimmed"}
      active={active}
      aria-current={active ? "true" : undefined}
      onClick={onClick}
      rightSection={may.allowed ? undefined : <Locked why={may.why} />}
      style={{ borderRadius: "var(--mantine-radius-sm)" }}
    />
  );
}

function Locked({ why }: { why: string | null }) {
  return (
    <Tooltip label={why}>
      <IconLock size={14} aria-label={why ?? "Not now"} role="img" />
    </Tooltip>
  );
}

/** Those for the whole first, then by the component of which they want one. */
function groups(actions: Action[]): [title: string, actions: Action[]][] {
  const found = new Map<string, Action[]>();
  for (const action of actions) {
    const title = action.component ? `For one ${action.component}` : "For the whole instance";
    found.set(title, [...(found.get(title) ?? []), action]);
  }
  return [...found.entries()].sort(
    ([, [a]], [, [b]]) => Number(a?.component !== null) - Number(b?.component !== null),
  );
}
