/** Giving machines back. */
import { List, Text } from "@mantine/core";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";

export function ReleaseDialog({
  machine,
  onClose,
}: {
  machine: Schemas["AllocationRead"];
  onClose: () => void;
}) {
  const again = machine.status === "release_failed";
  const act = useAct(
    (reason: string, headers) =>
      client.POST("/v1/allocations/{allocation}/release", {
        params: { path: { allocation: machine.id } },
        body: { reason: reason || null },
        headers,
      }),
    { quiet: true, done: `${machine.name} is being given back`, onDone: onClose },
  );
  return (
    <Ask
      title={again ? `Try again to give ${machine.name} back` : `Give ${machine.name} back`}
      opened
      onClose={onClose}
      verb={again ? "Try again" : "Give it back"}
      danger
      reason="optional"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(reason) => act.mutate(reason)}
    >
      <Text size="sm">What follows:</Text>
      <List size="sm" spacing={2}>
        <List.Item>Whoever works on it is out at once.</List.Item>
        <List.Item>Everything on it is wiped. There is no way back.</List.Item>
        <List.Item>You pay for it no longer from now on.</List.Item>
      </List>
    </Ask>
  );
}
