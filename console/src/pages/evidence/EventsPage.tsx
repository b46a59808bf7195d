/** Events as they happen, the newest first. Pausing keeps the page still; nothing is missed meanwhile. */
import { Anchor, Badge, Box, Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconTimelineEvent } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "@/components/Ago";
import { Lines } from "@/components/Copy";
import { Empty, ListFace } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { eventWords } from "@/lib/deeds";
import { type CloudEvent, type Narrowed, useHistory } from "@/lib/history";
import { useProjects } from "@/lib/me";
import type { Pages } from "@/lib/pages";
import { useSearchParam } from "@/lib/search";
import { nameIn } from "@/pages/evidence/subject";

const AT_ONCE = 40;
const AREAS = [
  { value: "apps.instance.", label: "Instances" },
  { value: "apps.operation.", label: "Operations" },
  { value: "apps.member.", label: "Members" },
  { value: "infra.", label: "Machines" },
  { value: "catalog.", label: "Catalog" },
  { value: "iam.", label: "People and accounts" },
  { value: "policy.", label: "Policy" },
];

export function EventsPage() {
  const [area, setArea] = useSearchParam("type");
  const [where, setWhere] = useSearchParam("project");
  const { projects } = useProjects();
  const project = projects.find((each) => each.slug === where);
  const tail = useTail({ area, ...(project ? { project: project.id } : {}) });
  const PauseMark = tail.isPaused ? IconPlayerPlay : IconPlayerPause;
  const names = new Map(projects.map((each) => [each.id, each.name]));
  return (
    <Page
      title="Events"
      lead="What happens in the places that you can see, as it happens. The same events can be read by API and are sent to webhooks."
      actions={
        <Button
          variant={tail.isPaused ? "filled" : "default"}
          leftSection={<PauseMark size={16} aria-hidden />}
          onClick={tail.toggle}
        >
          {tail.isPaused ? `Go on${tail.waiting > 0 ? ` (${tail.waiting} new)` : ""}` : "Pause"}
        </Button>
      }
    >
      <Section>
        <Group gap="sm" mb="sm">
          <Select
            aria-label="Kind of event"
            placeholder="All kinds"
            clearable
            data={AREAS}
            value={area || null}
            onChange={(value) => setArea(value ?? "")}
            w={{ base: "100%", xs: 220 }}
          />
          {projects.length > 1 && (
            <Select
              aria-label="Project"
              placeholder="All projects"
              clearable
              searchable
              data={projects.map((each) => ({ value: each.slug, label: each.name }))}
              value={where || null}
              onChange={(value) => setWhere(value ?? "")}
              w={{ base: "100%", xs: 220 }}
            />
          )}
        </Group>
        <ListFace
          of={tail.history}
          empty={
            <Empty icon={IconTimelineEvent} title="Nothing has happened">
              As soon as something does, it stands here. Nothing has to be reloaded.
            </Empty>
          }
        >
          {(items) => (
            <Events of={items} more={tail.isPaused ? null : tail.history} names={names} />
          )}
        </ListFace>
      </Section>
    </Page>
  );
}

/** A pause keeps what was shown. */
function useTail(narrowed: Narrowed) {
  const history = useHistory(narrowed);
  const [still, setStill] = useState<CloudEvent[] | null>(null);
  const newest = still?.[0];
  return {
    history: { ...history, items: still ?? history.items },
    isPaused: still !== null,
    waiting: newest ? history.items.findIndex((event) => event.id === newest.id) : 0,
    toggle: () => setStill(still === null ? history.items : null),
  };
}

function Events({
  of,
  more,
  names,
}: {
  of: CloudEvent[];
  /** Where earlier ones come from; null while the page is kept still. */
  more: Pages<CloudEvent> | null;
  names: Map<string, string>;
}) {
  const [most, setMost] = useState(AT_ONCE);
  const show = () => {
    if (of.length < most + AT_ONCE && more?.hasMore) more.loadMore();
    setMost(most + AT_ONCE);
  };
  return (
    <>
      <Box component="ol" m={0} p={0} style={{ listStyle: "none" }} aria-label="Events">
        {of.slice(0, most).map((event) => (
          <Line
            key={event.id}
            event={event}
            project={event.projectid ? names.get(event.projectid) : undefined}
          />
        ))}
      </Box>
      {(of.length > most || more?.hasMore) && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={more?.isLoadingMore ?? false}
          onClick={show}
        >
          Show more
        </Button>
      )}
    </>
  );
}

function Line({ event, project }: { event: CloudEvent; project: string | undefined }) {
  const [open, setOpen] = useState(false);
  const name = nameIn(event);
  return (
    <Box
      component="li"
      py={8}
      style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}
    >
      <Group gap="sm" justify="space-between" align="flex-start">
        <Stack gap={2} style={{ flex: "1 1 260px", minWidth: 0 }}>
          <Group gap={8}>
            <Text size="sm" fw={600}>
              {eventWords(event.type)}
            </Text>
            {name && (
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {name}
              </Text>
            )}
            {project && (
              <Badge color="gray" size="sm">
                {project}
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {event.type}
          </Text>
        </Stack>
        <Group gap="sm" wrap="nowrap">
          <Text size="xs" c="dimmed">
            <Ago at={event.time} />
          </Text>
          <Anchor
            size="xs"
            renderRoot={(props) => (
              <Link
                to="/triage/$correlation"
                params={{ correlation: event.correlationid }}
                {...props}
              />
            )}
          >
            Why
          </Anchor>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? "Less" : "More"}
          </Button>
        </Group>
      </Group>
      {open && (
        <Box mt={6}>
          <Lines text={JSON.stringify(event, null, 2)} what="the event" maxHeight={300} />
        </Box>
      )}
    </Box>
  );
}
