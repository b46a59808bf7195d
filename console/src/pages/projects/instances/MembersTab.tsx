/** The members of an instance, and what can be asked of each, or of several at once. */
import { Button, Checkbox, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconBox, IconPlus } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Empty, ListFace } from "@/components/Faces";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { VerbMenu } from "@/components/VerbMenu";
import { all, type May, no, YES } from "@/lib/can";
import { plural, sentence } from "@/lib/format";
import { useManifest, useMembers, useThisInstance } from "@/lib/instance";
import type { Component } from "@/lib/manifest";
import { useCan } from "@/lib/me";
import {
  type Around,
  countBy,
  type Instance,
  type Member,
  type MemberVerb,
  mayAdd,
  mayAsk,
  mayAskAll,
  ofInstance,
  stayingOf,
  VERBS,
  whyOf,
} from "@/lib/members";
import type { Column } from "@/lib/rows";
import { useSearchParam, useSetSearch } from "@/lib/search";
import { memberWord } from "@/lib/topology";
import { AddDialog } from "@/pages/projects/instances/members/AddDialog";
import { MemberDrawer } from "@/pages/projects/instances/members/MemberDrawer";
import {
  type DialogProps,
  DrainDialog,
  RemoveDialog,
  ReplaceDialog,
  ResumeDialog,
} from "@/pages/projects/instances/members/VerbDialogs";

const LABELS: Record<MemberVerb, string> = {
  drain: "Drain",
  resume: "Resume",
  remove: "Remove",
  replace: "Replace",
};
const DIALOGS = {
  drain: DrainDialog,
  resume: ResumeDialog,
  remove: RemoveDialog,
  replace: ReplaceDialog,
};
const NOTHING: Record<string, Component> = {};

export function MembersTab() {
  const instance = useThisInstance();
  const members = useMembers(instance.id);
  const components = useManifest(instance)?.components ?? NOTHING;
  const may = useMay(instance, components, members.items);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const set = useSetSearch();
  const columns = useColumns({ members: members.items, chosen, setChosen, may: may.one, set });
  const selected = members.items.filter(({ id }) => chosen.has(id));
  return (
    <>
      <Section
        flush
        title="Members"
        lead={leadOf(instance)}
        actions={
          <Verb
            may={may.add}
            size="sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ do: "add", member: undefined })}
          >
            Add members
          </Verb>
        }
      >
        <ListFace
          of={members}
          empty={
            <Empty icon={IconBox} title="It has no members">
              Members come with its deployment, or are added here.
            </Empty>
          }
        >
          {(items) => (
            <Rows
              rows={items}
              columns={columns}
              rowKey={({ id }) => id}
              noun="member"
              tools={
                selected.length > 0 && (
                  <Bulk
                    selected={selected}
                    may={may.several}
                    onVerb={(verb) => set({ do: verb, member: undefined })}
                    onClear={() => setChosen(new Set())}
                  />
                )
              }
              {...members}
            />
          )}
        </ListFace>
      </Section>
      <Open
        instance={instance}
        members={members.items}
        components={components}
        selected={selected}
        onAsked={() => setChosen(new Set())}
      />
    </>
  );
}

function leadOf(instance: Instance): string {
  return instance.components
    .map(({ key, ready, desired }) => `${sentence(key)}: ${ready} of ${desired} ready`)
    .join(" · ");
}

interface Mays {
  add: May;
  one: (verb: MemberVerb, member: Member) => May;
  several: (verb: MemberVerb, members: readonly Member[]) => May;
}

function useMay(
  instance: Instance,
  components: Record<string, Component>,
  members: Member[],
): Mays {
  const can = useCan();
  const { status } = instance;
  // As words: what is the same as before must not draw every row anew.
  const [staying, live] = [stayingOf(members), countBy(members)].map((each) =>
    JSON.stringify(each),
  );
  return useMemo(() => {
    const around: Around = {
      instance: { status },
      components,
      staying: JSON.parse(staying ?? "{}"),
    };
    return {
      add: all(
        can("apps.member.add"),
        ofInstance("add", { status }),
        hasRoom(components, JSON.parse(live ?? "{}")),
      ),
      one: (verb, member) => all(can(`apps.member.${verb}`), mayAsk(verb, member, around)),
      several: (verb, some) => all(can(`apps.member.${verb}`), mayAskAll(verb, some, around)),
    };
  }, [can, status, components, staying, live]);
}

function hasRoom(components: Record<string, Component>, live: Record<string, number>): May {
  const rooms = Object.entries(components).map(([key, each]) => mayAdd(key, each, live[key] ?? 0));
  const [full] = rooms;
  if (rooms.length === 0 || rooms.some(({ allowed }) => allowed)) return YES;
  return no(rooms.length === 1 && full?.why ? full.why : "The app has no room for more members.");
}

function Bulk({
  selected,
  may,
  onVerb,
  onClear,
}: {
  selected: Member[];
  may: Mays["several"];
  onVerb: (verb: MemberVerb) => void;
  onClear: () => void;
}) {
  return (
    <Group gap="xs" role="group" aria-label="With those that are chosen">
      <Text size="sm" fw={600}>
        {plural(selected.length, "member")} chosen
      </Text>
      {VERBS.map((verb) => (
        <Verb
          key={verb}
          size="xs"
          variant="default"
          may={may(verb, selected)}
          onClick={() => onVerb(verb)}
        >
          {LABELS[verb]}
        </Verb>
      ))}
      <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
        None
      </Button>
    </Group>
  );
}

/** What the address says is open: a dialog, or a member closer. */
function Open({
  selected,
  onAsked,
  ...rest
}: Pick<DialogProps, "instance" | "members" | "components" | "onAsked"> & {
  selected: Member[];
}) {
  const [verb] = useSearchParam("do");
  const [member] = useSearchParam("member");
  const set = useSetSearch();
  const onClose = () => set({ do: undefined, member: undefined });
  const named = rest.members.filter(({ id }) => id === member);
  if (verb === "add" && Object.keys(rest.components).length > 0)
    return <AddDialog {...rest} onClose={onClose} onAsked={onAsked} />;
  if (verb in DIALOGS) {
    const chosen = member ? named : selected;
    if (chosen.length === 0) return null;
    const Dialog = DIALOGS[verb as MemberVerb];
    return <Dialog {...rest} chosen={chosen} onClose={onClose} onAsked={onAsked} />;
  }
  return member ? <MemberDrawer id={member} onClose={onClose} /> : null;
}

function useColumns({
  members,
  chosen,
  setChosen,
  may,
  set,
}: {
  members: Member[];
  chosen: ReadonlySet<string>;
  setChosen: (chosen: ReadonlySet<string>) => void;
  may: Mays["one"];
  set: ReturnType<typeof useSetSearch>;
}): Column<Member>[] {
  const count = members.length;
  const latest = useRef(members);
  useEffect(() => {
    latest.current = members;
  }, [members]);
  return useMemo(() => {
    const toggle = (id: string) => {
      const next = new Set(chosen);
      if (!next.delete(id)) next.add(id);
      setChosen(next);
    };
    const whole = count > 0 && chosen.size >= count;
    return [
      {
        id: "choose",
        title: "Choose",
        width: 40,
        head: (
          <Checkbox
            size="xs"
            aria-label="Choose all members"
            checked={whole}
            indeterminate={chosen.size > 0 && !whole}
            onChange={() => setChosen(new Set(whole ? [] : latest.current.map(({ id }) => id)))}
          />
        ),
        show: ({ id, name }) => (
          <input
            type="checkbox"
            className="tick"
            aria-label={`Choose ${name}`}
            checked={chosen.has(id)}
            onChange={() => toggle(id)}
          />
        ),
      },
      {
        id: "name",
        title: "Name",
        value: (row) => row.name,
        show: (row) => (
          <UnstyledButton
            c="var(--mantine-color-anchor)"
            fw={600}
            fz="sm"
            style={{ whiteSpace: "nowrap" }}
            onClick={() => set({ member: row.id })}
          >
            {row.name}
          </UnstyledButton>
        ),
      },
      {
        id: "component",
        title: "Component",
        value: (row) => row.component,
        show: (row) => sentence(row.component),
      },
      {
        id: "state",
        title: "State",
        value: (row) => `${memberWord(row)} ${row.status} ${row.health}`,
        show: (row) => <State member={row} />,
      },
      {
        id: "machine",
        title: "Machine",
        value: (row) => `${row.node_name ?? ""} ${row.host_address ?? ""}`.trim(),
        show: (row) => (
          <>
            <div>{row.node_name ?? "–"}</div>
            {row.host_address && <div className="minor">{row.host_address}</div>}
          </>
        ),
      },
      {
        id: "version",
        title: "Version",
        value: (row) => row.app_version,
        show: (row) => (
          <span style={{ whiteSpace: "nowrap" }}>
            {row.app_version}
            {row.runtime_version && ` · runs ${row.runtime_version}`}
          </span>
        ),
      },
      {
        id: "verbs",
        title: "",
        width: 48,
        show: (row) => (
          <VerbMenu
            of={row.name}
            verbs={VERBS.map((verb) => ({
              label: LABELS[verb],
              may: may(verb, row),
              danger: verb === "remove",
              onClick: () => set({ do: verb, member: row.id }),
            }))}
          />
        ),
      },
    ];
  }, [count, chosen, setChosen, may, set]);
}

function State({ member }: { member: Member }) {
  const why = whyOf(member);
  return (
    <Stack gap={2} maw={300} align="flex-start">
      <Group gap={6} wrap="nowrap">
        <Status word={memberWord(member)} />
        {member.drain && member.status === "ready" && <Status word="draining" label="Drained" />}
      </Group>
      {why && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {why}
        </Text>
      )}
    </Stack>
  );
}
