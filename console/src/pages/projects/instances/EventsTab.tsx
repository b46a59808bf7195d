/** What happened to an instance, the newest first, as it happens. */
import { Text } from "@mantine/core";
import { IconTimelineEvent } from "@tabler/icons-react";
import { useMemo } from "react";
import { Ago } from "@/components/Ago";
import { Empty, ListFace } from "@/components/Faces";
import { OperationState } from "@/components/OperationState";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { happened } from "@/lib/happened";
import { type CloudEvent, useHistory } from "@/lib/history";
import { useThisInstance } from "@/lib/instance";
import type { Operation } from "@/lib/operations";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";

export function EventsTab() {
  const instance = useThisInstance();
  const path = usePath();
  const members = path("instances", instance.id, "members");
  const history = useHistory({ instance: instance.id });
  const columns = useMemo(() => columnsOf(members), [members]);
  return (
    <Section
      flush
      title="Events"
      lead="Everything that happened to this instance, its members and its operations."
    >
      <ListFace
        of={history}
        empty={
          <Empty icon={IconTimelineEvent} title="Nothing happened lately">
            Events are kept for a while. New ones show here at once.
          </Empty>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={({ id }) => id} noun="event" {...history} />
        )}
      </ListFace>
    </Section>
  );
}

function columnsOf(members: string): Column<CloudEvent>[] {
  return [
    {
      id: "when",
      title: "When",
      width: 150,
      value: (row) => Date.parse(row.time),
      show: (row) => <Ago at={row.time} size="sm" />,
    },
    {
      id: "what",
      title: "What",
      value: (row) => happened(row).title,
      show: (row) => <What event={row} />,
    },
    {
      id: "about",
      title: "About",
      value: (row) => happened(row).about,
      show: (row) => {
        const { about, member } = happened(row);
        if (!about) return <Text c="dimmed">–</Text>;
        if (!member) return about;
        return (
          <To to={members} search={{ member }}>
            {about}
          </To>
        );
      },
    },
    {
      id: "state",
      title: "Became",
      value: (row) => happened(row).word,
      show: (row) => {
        const { word, operation } = happened(row);
        const work = operation === row.subject;
        return work ? (
          <OperationState status={word as Operation["status"]} />
        ) : (
          <Status word={word} />
        );
      },
    },
    {
      id: "trace",
      title: "Trace",
      show: (row) => (
        <To to={`/triage/${row.correlationid}`} size="sm">
          What it came of
        </To>
      ),
    },
  ];
}

function What({ event }: { event: CloudEvent }) {
  const { title, why, operation } = happened(event);
  return (
    <>
      {operation ? (
        <To to={`/operations/${operation}`} size="sm">
          {title}
        </To>
      ) : (
        <Text size="sm">{title}</Text>
      )}
      {why && (
        <Text size="xs" c="dimmed" lineClamp={2} maw={420}>
          {why}
        </Text>
      )}
    </>
  );
}
