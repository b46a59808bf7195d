/** The line that makes a host a node: made, shown once, and waited for. */
import { Alert, Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/components/Ago";
import { Lines } from "@/components/Copy";
import { Failed } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { ToButton } from "@/components/To";
import { useAct } from "@/lib/act";
import { ask, client, type Schemas } from "@/lib/api";
import { bytes } from "@/lib/format";
import { gpuWords, inventoryOf } from "@/pages/platform/nodes/words";

export function EnrolDialog({ node: id, onClose }: { node: string; onClose: () => void }) {
  const node = useQuery(ask("/v1/nodes/{node}", { node: id }));
  const act = useAct(
    (given: Schemas["EnrolmentCreate"], headers) =>
      client.POST("/v1/nodes/{node}/enrolments", {
        params: { path: { node: id } },
        body: given,
        headers,
      }),
    { quiet: true },
  );
  const issued = act.data;
  const there =
    issued !== undefined &&
    Boolean(node.data?.enrolled_at) &&
    Date.parse(node.data?.enrolled_at ?? "") >= Date.parse(issued.created_at);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={<Text fw={650}>Enrol {node.data?.name ?? "a host"}</Text>}
      closeOnClickOutside={!issued}
    >
      {there && node.data ? (
        <There node={node.data} onClose={onClose} />
      ) : issued ? (
        <Waiting issued={issued} />
      ) : (
        <Stack gap="md">
          <Text size="sm">
            You get one line to run as root on the host. It works once. Lines that were made for
            this node before stop working.
          </Text>
          {act.error && <Failed error={act.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            <Button loading={act.isPending} onClick={() => act.mutate({})}>
              Make the line
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Waiting({ issued }: { issued: Schemas["EnrolmentIssued"] }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Run this as root on the host. It is shown only now, and stops working{" "}
        <Ago at={issued.expires_at} />.
      </Text>
      <Lines text={issued.line} what="the line to run on the host" />
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm">Waiting for the host. This changes by itself when it is there.</Text>
      </Group>
    </Stack>
  );
}

function There({ node, onClose }: { node: Schemas["NodeRead"]; onClose: () => void }) {
  const has = inventoryOf(node);
  const well = node.status !== "quarantined";
  return (
    <Stack gap="md" role="status">
      <Alert
        color={well ? "teal" : "yellow"}
        icon={well ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
        title={well ? `${node.name} is there` : `${node.name} is there, and not as announced`}
      >
        {well ? "It can be given to projects now." : node.status_reason}
      </Alert>
      <Facts
        columns={3}
        of={[
          ["Host", node.hostname],
          ["CPU threads", has.cpu?.threads],
          ["Memory", bytes(has.memory_bytes)],
          ["GPUs", gpuWords(has.gpus) || "None"],
        ]}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <ToButton to={`/platform/nodes/${node.id}`}>Open the node</ToButton>
      </Group>
    </Stack>
  );
}
