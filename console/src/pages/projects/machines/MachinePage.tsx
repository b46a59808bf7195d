/** One machine of a project: what it is, what runs on it, and who may enter. */
import { Alert, Badge, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconDoorEnter, IconFileSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { CopyCode } from "@/components/Copy";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { answer, ask, client, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { useClasses } from "@/lib/classes";
import { bytes, duration, money, plural, sentence } from "@/lib/format";
import { useCan, useMe } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { GrantDialog } from "@/pages/projects/machines/GrantDialog";
import { State } from "@/pages/projects/machines/MachinesPage";
import { ReleaseDialog } from "@/pages/projects/machines/ReleaseDialog";
import { dirtyWords, isHeld, keeps, reachWords } from "@/pages/projects/machines/words";

type Machine = Schemas["AllocationRead"];
type Grant = Schemas["AccessGrantRead"];

const WAIT_S = 30;
const AGAIN_MS = 1000;

export function MachinePage() {
  const { allocation = "" } = useParams({ strict: false });
  const machine = useQuery(ask("/v1/allocations/{allocation}", { allocation }));
  return <Face of={machine}>{(found) => <Shown machine={found} />}</Face>;
}

function Shown({ machine }: { machine: Machine }) {
  const path = usePath();
  const can = useCan();
  const [open, setOpen] = useSearchParam("open");
  const why = keeps(machine);
  const close = () => setOpen("");
  return (
    <Page
      title={machine.name}
      crumbs={[{ label: "Machines", to: path("machines") }]}
      badges={<State machine={machine} />}
      actions={
        isHeld(machine) && (
          <Verb
            may={all(can("infra.allocation.release"), why ? no(why) : YES)}
            variant="default"
            onClick={() => setOpen("release")}
          >
            {machine.status === "release_failed" ? "Try again to give it back" : "Give it back"}
          </Verb>
        )
      }
    >
      <Wrong machine={machine} />
      <Details machine={machine} />
      {isHeld(machine) && <Access machine={machine} onGrant={() => setOpen("grant")} />}
      <Evidence machine={machine} />
      {open === "release" && <ReleaseDialog machine={machine} onClose={close} />}
      {open === "grant" && <GrantDialog machine={machine} onClose={close} />}
    </Page>
  );
}

function Wrong({ machine }: { machine: Machine }) {
  const reach = reachWords(machine);
  const said = [
    ...(machine.message ? [machine.message] : []),
    ...(machine.dirty.length > 0
      ? [`${machine.dirty.map(dirtyWords).join(". ")}. It can only be given back.`]
      : []),
    ...(isHeld(machine) && reach.word === "unreachable"
      ? ["The machine does not answer. What runs on it may go on; nothing can be changed there."]
      : []),
    ...(reach.word === "quarantined"
      ? ["Those who run the platform have taken it out. It gets no work meanwhile."]
      : []),
  ];
  if (said.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {said.map((each) => (
        <Text size="sm" key={each}>
          {each}
        </Text>
      ))}
    </Alert>
  );
}

function Details({ machine }: { machine: Machine }) {
  const path = usePath();
  const { regionName } = useClasses();
  const { node, cost } = machine;
  const gpus = node?.gpus ?? [];
  return (
    <Section title="Details">
      <Facts
        columns={4}
        of={[
          [
            "Runs",
            machine.instance_id ? (
              <To key="to" to={path("instances", machine.instance_id)}>
                {machine.instance_name ?? "An instance"}
              </To>
            ) : (
              "Nothing"
            ),
          ],
          ["Class", machine.sku],
          ["Region", regionName(machine.region)],
          ["Held since", <Ago key="at" at={machine.held_from} />],
          [
            "Cost so far (an estimate)",
            `${money(cost.amount_micros, cost.currency)} for ${duration(cost.held_seconds)}`,
          ],
          ["Host", machine.node_name],
          ...(node
            ? ([
                ["Heartbeat", <Reach key="reach" machine={machine} />],
                ["Addresses", node.addresses.join(", ")],
                ["System", node.os && sentence(node.os)],
                [
                  "Processor",
                  node.cpu.threads &&
                    `${node.cpu.model ?? "CPU"}, ${plural(node.cpu.threads, "thread")}`,
                ],
                ["Memory", bytes(node.memory_bytes)],
                [
                  "GPUs",
                  gpus.length === 0
                    ? "None"
                    : `${gpus.length} × ${gpus[0]?.model ?? "GPU"}${gpus[0]?.memory_bytes ? `, ${bytes(gpus[0].memory_bytes)} each` : ""}`,
                ],
              ] as [string, React.ReactNode][])
            : []),
          ["Why this host", sentence(machine.placement.why)],
        ]}
      />
    </Section>
  );
}

function Reach({ machine }: { machine: Machine }) {
  const { word, label } = reachWords(machine);
  if (word === "unreachable" && machine.node?.unreachable_since)
    return (
      <Group gap={6}>
        <Status word={word} label={label} />
        <Ago at={machine.node.unreachable_since} />
      </Group>
    );
  return <Status word={word} label={label} />;
}

/** Who may enter, until when, and how. */
function Access({ machine, onGrant }: { machine: Machine; onGrant: () => void }) {
  const can = useCan();
  const me = useMe();
  const grants = usePages(
    "/v1/allocations/{allocation}/grants",
    { allocation: machine.id },
    { limit: 200 },
  );
  const [open, setOpen] = useSearchParam("end");
  const ending = grants.items.find((each) => each.id === open);
  const name = ({ user_id, user_name, login }: Grant) =>
    user_id === me.id ? "You" : (user_name ?? login);
  const mine = grants.items.find((each) => each.user_id === me.id && !each.ended_at);
  const ready = machine.status === "active" ? YES : no("The machine is not ready yet.");
  const let_in = (
    <Verb
      may={all(can("infra.access.create"), ready)}
      size="sm"
      variant="default"
      onClick={onGrant}
    >
      Let somebody in
    </Verb>
  );
  const columns: Column<Grant>[] = [
    {
      id: "who",
      title: "Who",
      value: (row) => `${name(row)} ${row.login}`,
      show: (row) => (
        <Stack gap={0}>
          <Text size="sm" fw={600}>
            {name(row)}
          </Text>
          <Text size="xs" c="dimmed">
            enters as {row.login}
          </Text>
        </Stack>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (row) => grantWord(row).word,
      show: (row) => <GrantState grant={row} />,
    },
    {
      id: "rights",
      title: "May also",
      show: (row) => (
        <Group gap={4}>
          {row.sudo && <Badge color="gray">Become root</Badge>}
          {row.forwarding && <Badge color="gray">Forward ports</Badge>}
        </Group>
      ),
    },
    {
      id: "why",
      title: "Let in by",
      value: (row) => `${row.granted_by_name ?? ""} ${row.reason ?? ""}`,
      show: (row) => (
        <Stack gap={0}>
          <Text size="sm">{row.granted_by_name ?? "–"}</Text>
          <Text size="xs" c="dimmed">
            {row.reason}
          </Text>
        </Stack>
      ),
    },
    {
      id: "until",
      title: "Until",
      value: (row) => row.ended_at ?? row.expires_at,
      show: (row) => <Ago at={row.ended_at ?? row.expires_at} />,
    },
    {
      id: "do",
      title: "",
      align: "right",
      show: (row) =>
        !row.ended_at && (
          <Verb
            may={can("infra.access.delete")}
            size="compact-sm"
            variant="default"
            onClick={() => setOpen(row.id)}
            aria-label={`End the access of ${name(row)}`}
          >
            End
          </Verb>
        ),
    },
  ];
  return (
    <Section
      title="Who can enter"
      lead={
        mine ? (
          <Group gap="xs" component="span">
            You can, from your own machine:{" "}
            <CopyCode text={`moor ssh ${machine.id}`} what="the line" />
          </Group>
        ) : (
          "People enter with the moor command, for as long as they are let in."
        )
      }
      actions={let_in}
      flush
    >
      <ListFace
        of={grants}
        empty={
          <Empty icon={IconDoorEnter} title="Nobody can enter">
            Let somebody in when they have work to do on the machine itself. Apps do not need it.
          </Empty>
        }
      >
        {(items) => (
          <Rows
            id="g"
            rows={items}
            columns={columns}
            rowKey={(row) => row.id}
            noun="grant"
            {...grants}
          />
        )}
      </ListFace>
      {ending && <EndDialog grant={ending} onClose={() => setOpen("")} />}
    </Section>
  );
}

/** No event tells when somebody can enter, so the platform is asked to answer then. */
function GrantState({ grant }: { grant: Grant }) {
  const waits = isPending(grant);
  const { data } = useQuery({
    // Under a name of its own: the stream neither waits for the answer nor asks again.
    queryKey: ["entering", { grant: grant.id }, null],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/grants/{grant}", {
          params: { path: { grant: grant.id }, query: { wait: WAIT_S } },
          signal,
        }),
      ),
    enabled: waits,
    refetchInterval: ({ state }) => (state.data && !isPending(state.data) ? false : AGAIN_MS),
  });
  const { word, label, why } = grantWord(waits && data ? data : grant);
  return <Status word={word} label={label} why={why} />;
}

function isPending(grant: Grant): boolean {
  return grantWord(grant).word === "pending";
}

function grantWord(grant: Grant): { word: string; label: string; why?: string } {
  if (grant.ended_at)
    return {
      word: "ended",
      label: "Ended",
      why: grant.ended_because ? sentence(grant.ended_because) : undefined,
    };
  if (grant.problem) return { word: "failed", label: "Cannot enter", why: grant.problem };
  return grant.carried_out
    ? { word: "active", label: "Can enter" }
    : { word: "pending", label: "In a moment" };
}

function EndDialog({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const act = useAct(
    (id: string, headers) =>
      client.DELETE("/v1/grants/{grant}", { params: { path: { grant: id } }, headers }),
    { quiet: true, done: "Their access has ended", onDone: onClose },
  );
  return (
    <Ask
      title={`End the access of ${grant.login}`}
      opened
      onClose={onClose}
      verb="End it"
      danger
      busy={act.isPending}
      refusal={act.error}
      onSubmit={() => act.mutate(grant.id)}
    >
      <Text size="sm">They are off the machine within seconds, open sessions included.</Text>
    </Ask>
  );
}

const PROOFS = { setup: "Made ready", wipe: "Wiped", probe: "Looked over" } as const;

/** What the host itself said: kept, and not taken for proof. */
function Evidence({ machine }: { machine: Machine }) {
  const found = useQuery(
    ask("/v1/allocations/{allocation}/evidence", { allocation: machine.id }, { limit: 50 }),
  );
  return (
    <Section
      title="Evidence"
      lead="What the machine itself said about how it was made ready, cleaned and entered. Whoever is root there can make it say anything."
      flush
    >
      <Face of={found}>
        {(page) => {
          const said = [
            ...(["setup", "wipe", "probe"] as const).flatMap((kind) => {
              const proof = page[kind];
              return proof
                ? [
                    {
                      id: proof.task_id,
                      what: PROOFS[kind],
                      at: proof.at,
                      how: proof.status,
                      error: proof.error,
                    },
                  ]
                : [];
            }),
            ...page.items.map((each) => ({
              id: each.id,
              what: sentence(each.kind),
              at: each.said_at ?? each.received_at,
              how: null,
              error: null,
            })),
          ];
          if (said.length === 0)
            return (
              <Empty icon={IconFileSearch} title="It has said nothing yet">
                What it does for you is written down here.
              </Empty>
            );
          const columns: Column<(typeof said)[number]>[] = [
            { id: "what", title: "What", value: (row) => row.what, show: (row) => row.what },
            {
              id: "how",
              title: "Outcome",
              value: (row) => row.how,
              show: (row) => (row.how ? <Status word={row.how} why={row.error} /> : "–"),
            },
            { id: "at", title: "When", value: (row) => row.at, show: (row) => <Ago at={row.at} /> },
          ];
          return (
            <Rows id="e" rows={said} columns={columns} rowKey={(row) => row.id} noun="statement" />
          );
        }}
      </Face>
    </Section>
  );
}
