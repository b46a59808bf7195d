/** One machine of the platform: its state, what it is made of, and what can be done with it. */
import { Alert, Badge, Button, Group, List, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Ago } from "@/components/Ago";
import { Ask } from "@/components/Ask";
import { Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Page } from "@/components/Page";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import { all, no, YES } from "@/lib/can";
import { useClasses } from "@/lib/classes";
import { bytes, plural, sentence } from "@/lib/format";
import { useCan } from "@/lib/me";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { Heartbeat } from "@/pages/platform/NodesPage";
import { EnrolDialog } from "@/pages/platform/nodes/EnrolDialog";
import {
  allows,
  diskWords,
  gpuWords,
  inventoryOf,
  labelsOf,
  labelsText,
  type NodeVerb,
  VERBS,
} from "@/pages/platform/nodes/words";

type Node = Schemas["NodeRead"];

export function NodePage() {
  const { node = "" } = useParams({ strict: false });
  const found = useQuery(ask("/v1/nodes/{node}", { node }));
  return <Face of={found}>{(each) => <Shown node={each} />}</Face>;
}

function Shown({ node }: { node: Node }) {
  const can = useCan();
  const [open, setOpen] = useSearchParam("open");
  const close = () => setOpen("");
  const gone = node.status === "retired";
  return (
    <Page
      title={node.name}
      crumbs={[{ label: "Nodes", to: "/platform/nodes" }]}
      badges={
        <>
          <Status word={node.status} why={node.status_reason} />
          {node.cordoned && <Badge color="yellow">Cordoned</Badge>}
        </>
      }
      actions={
        <>
          {node.reach === "agent" && !gone && (
            <Verb may={can("infra.node.enrol")} variant="default" onClick={() => setOpen("enrol")}>
              Enrol
            </Verb>
          )}
          <Cordon node={node} />
        </>
      }
    >
      {node.status_reason && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {node.status_reason}
        </Alert>
      )}
      <State node={node} />
      <Made node={node} />
      <Labels key={node.version} node={node} />
      <Verbs node={node} onChoose={setOpen} />
      <Enrolments node={node} />
      {open === "enrol" && <EnrolDialog node={node.id} onClose={close} />}
      {open in VERBS && <VerbDialog node={node} verb={open as NodeVerb} onClose={close} />}
    </Page>
  );
}

function useUpdate(node: Node, done: string) {
  return useAct(
    (given: Schemas["NodeUpdate"], headers) =>
      client.PATCH("/v1/nodes/{node}", {
        params: { path: { node: node.id } },
        body: given,
        headers: { ...headers, "if-match": `"${node.version}"` },
      }),
    { done },
  );
}

function Cordon({ node }: { node: Node }) {
  const can = useCan();
  const act = useUpdate(
    node,
    node.cordoned ? `${node.name} is open again` : `Nobody new gets ${node.name}`,
  );
  return (
    <Verb
      may={all(can("infra.node.operate"), node.status === "retired" ? no("It is retired.") : YES)}
      variant="default"
      loading={act.isPending}
      onClick={() => act.mutate({ cordoned: !node.cordoned })}
    >
      {node.cordoned ? "Uncordon" : "Cordon"}
    </Verb>
  );
}

function State({ node }: { node: Node }) {
  const { regionName } = useClasses();
  return (
    <Section title="State">
      <Facts
        columns={4}
        of={[
          ["Heartbeat", <Heartbeat key="heard" node={node} />],
          ["In this state since", <Ago key="since" at={node.status_since} />],
          ["Held by", node.holder?.org_name ?? "Nobody"],
          ["Class", node.sku],
          ["Region", regionName(node.region)],
          ["Address", node.address && `${node.address}${node.ssh_port ? `:${node.ssh_port}` : ""}`],
          ["Reached by", node.reach === "agent" ? "The agent on it" : "SSH, without agent"],
          ["Agent", node.agent_version],
          ["Enrolled", <Ago key="enrolled" at={node.enrolled_at} />],
          ["Images so far", node.generation],
          ...(node.reimage_requested_at
            ? [
                ["Imaging asked for", <Ago key="imaging" at={node.reimage_requested_at} />] as [
                  string,
                  ReactNode,
                ],
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function Made({ node }: { node: Node }) {
  if (!node.inventory)
    return (
      <Section title="Hardware">
        <Text c="dimmed">
          {node.reach === "agent"
            ? "The host says what it is made of when it enrols."
            : "A host without agent does not say what it is made of."}
        </Text>
      </Section>
    );
  const has = inventoryOf(node);
  return (
    <Section
      title="Hardware"
      lead={
        <>
          As the host itself said, <Ago at={node.inventory_at} />
        </>
      }
    >
      <Stack gap="md">
        <Facts
          columns={4}
          of={[
            [
              "Processor",
              has.cpu?.threads && `${has.cpu.model || "CPU"}, ${plural(has.cpu.threads, "thread")}`,
            ],
            ["Memory", bytes(has.memory_bytes)],
            ["GPUs", gpuWords(has.gpus) || "None"],
            [
              "System",
              has.os &&
                `${sentence(has.os.id ?? "")} ${has.os.version ?? ""}, kernel ${has.os.kernel ?? "?"}`,
            ],
            ["Host name", node.hostname],
            ["Architecture", has.arch],
            ["Virtual", has.virtualization],
          ]}
        />
        <Group align="flex-start" gap="xl">
          <Parts title="Disks" of={(has.disks ?? []).map(diskWords)} />
          <Parts
            title="Network"
            of={(has.nics ?? []).map(
              (nic) =>
                `${nic.name ?? "interface"}: ${(nic.addresses ?? []).join(", ") || "no address"}${nic.speed_mbps ? `, ${nic.speed_mbps / 1000} Gbit/s` : ""}`,
            )}
          />
        </Group>
      </Stack>
    </Section>
  );
}

function Parts({ title, of }: { title: string; of: string[] }) {
  if (of.length === 0) return null;
  return (
    <div>
      <Text size="xs" c="dimmed" fw={600}>
        {title}
      </Text>
      <List listStyleType="none" size="sm">
        {of.map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Labels({ node }: { node: Node }) {
  const can = useCan();
  const [text, setText] = useState(labelsText(node.labels));
  const act = useUpdate(node, "Labels changed");
  const changed = labelsText(labelsOf(text)) !== labelsText(node.labels);
  return (
    <Section
      title="Labels"
      lead="For your own order. Machines that are asked for together are spread over racks, as the label rack says."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.mutate({ labels: labelsOf(text) as never });
        }}
      >
        <Group gap="xs" align="flex-end">
          <TextInput
            aria-label="Labels"
            placeholder="rack=a1 row=2"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            disabled={!can("infra.node.operate").allowed || node.status === "retired"}
            style={{ flex: "1 1 260px" }}
            maw={520}
          />
          {changed && (
            <Button type="submit" loading={act.isPending}>
              Save
            </Button>
          )}
        </Group>
      </form>
    </Section>
  );
}

function Verbs({ node, onChoose }: { node: Node; onChoose: (verb: string) => void }) {
  const can = useCan();
  return (
    <Section title="What can be done">
      <Stack gap="sm">
        {(Object.keys(VERBS) as NodeVerb[]).map((verb) => (
          <Group key={verb} gap="md" wrap="nowrap" align="center">
            <Verb
              may={all(can("infra.node.operate"), allows(node, verb))}
              variant="default"
              color={VERBS[verb].danger ? "red" : undefined}
              w={152}
              style={{ flexShrink: 0 }}
              onClick={() => onChoose(verb)}
            >
              {VERBS[verb].label}
            </Verb>
            <Text size="sm" c="dimmed">
              {VERBS[verb].what}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

function VerbDialog({ node, verb, onClose }: { node: Node; verb: NodeVerb; onClose: () => void }) {
  const { label, what, danger, reason } = VERBS[verb];
  const act = useAct(
    (why: string, headers) => {
      const params = { path: { node: node.id } };
      if (verb === "resume") return client.POST("/v1/nodes/{node}/resume", { params, headers });
      return client.POST(`/v1/nodes/{node}/${verb}`, { params, body: { reason: why }, headers });
    },
    { quiet: true, done: `${label}: ${node.name}`, onDone: onClose },
  );
  return (
    <Ask
      title={`${label}: ${node.name}`}
      opened
      onClose={onClose}
      verb={label}
      danger={danger}
      reason={reason ? "required" : "none"}
      confirm={verb === "retire" ? node.name : undefined}
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(why) => act.mutate(why)}
    >
      <Text size="sm">{what}</Text>
    </Ask>
  );
}

function Enrolments({ node }: { node: Node }) {
  const lines = usePages("/v1/nodes/{node}/enrolments", { node: node.id }, { limit: 50 });
  const columns: Column<Schemas["EnrolmentRead"]>[] = [
    {
      id: "made",
      title: "Made",
      value: (row) => row.created_at,
      show: (row) => (
        <>
          <Ago at={row.created_at} />
          {row.created_by_name && ` by ${row.created_by_name}`}
        </>
      ),
    },
    {
      id: "state",
      title: "State",
      value: (row) => fate(row).label,
      show: (row) => <Status {...fate(row)} />,
    },
    {
      id: "until",
      title: "Works until",
      value: (row) => row.expires_at,
      show: (row) => (row.used_at || row.revoked_at ? "–" : <Ago at={row.expires_at} />),
    },
  ];
  if (node.reach !== "agent") return null;
  return (
    <Section title="Enrolments" lead="The lines that were made for this node." flush>
      <ListFace
        of={lines}
        empty={
          <Text c="dimmed" px="md" pb="md">
            None was made yet.
          </Text>
        }
      >
        {(items) => (
          <Rows rows={items} columns={columns} rowKey={(row) => row.id} noun="line" {...lines} />
        )}
      </ListFace>
    </Section>
  );
}

function fate(line: Schemas["EnrolmentRead"]): { word: string; label: string } {
  if (line.used_at) return { word: "succeeded", label: "Used" };
  if (line.revoked_at) return { word: "ended", label: "Replaced" };
  return Date.parse(line.expires_at) < Date.now()
    ? { word: "ended", label: "Expired" }
    : { word: "waiting", label: "Waiting" };
}
