/** One member, closer. What the app says of it is shown as it stands. */
import { Alert, Drawer, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/components/Ago";
import { CopyCode } from "@/components/Copy";
import { Face } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import { Tree } from "@/components/Tree";
import { ask } from "@/lib/api";
import { sentence } from "@/lib/format";
import { drainWords, type Member } from "@/lib/members";
import { usePath } from "@/lib/paths";

export function MemberDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const found = useQuery(ask("/v1/members/{member}", { member: id }));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={650}>{found.data?.name ?? "Member"}</Text>}
    >
      <Face of={found}>{(member) => <Closer member={member} />}</Face>
    </Drawer>
  );
}

function Closer({ member }: { member: Member }) {
  const path = usePath();
  return (
    <Stack gap="lg">
      {member.status_reason && (
        <Alert color={member.status === "failed" ? "red" : "gray"} role="status">
          {member.status_reason}
        </Alert>
      )}
      {member.health_reasons.length > 0 && (
        <Alert color="yellow" role="status" title={`It is ${member.health}`}>
          {member.health_reasons.map((reason) => (
            <Text size="sm" key={reason}>
              {reason}
            </Text>
          ))}
        </Alert>
      )}
      <Facts
        columns={4}
        of={[
          ["State", <Status key="state" word={member.status} />],
          ["Health", <Status key="health" word={member.health} />],
          ["Component", sentence(member.component)],
          ["App version", member.app_version],
          ["Runs", member.runtime_version],
          [
            "Machine",
            member.allocation_id ? (
              <To key="machine" to={path("machines", member.allocation_id)}>
                {member.node_name ?? "Machine"}
              </To>
            ) : null,
          ],
          [
            "Address",
            member.host_address ? (
              <CopyCode key="address" text={member.host_address} what="the address" />
            ) : null,
          ],
          [
            "When it goes",
            member.managed && !member.keep_allocation
              ? "Its machine is given back"
              : "Its machine stays yours",
          ],
          ["Since", <Ago key="since" at={member.created_at} />],
          [
            "Last operation",
            member.last_operation_id ? (
              <To key="operation" to={`/operations/${member.last_operation_id}`}>
                What was done last
              </To>
            ) : null,
          ],
        ]}
      />
      {member.drain && <Text size="sm">{drainWords(member.drain)}.</Text>}
      {Object.keys(member.adapter_detail).length > 0 && (
        <div>
          <Text fw={650} mb="xs">
            What the app says of it
          </Text>
          <Tree of={member.adapter_detail} />
        </div>
      )}
    </Stack>
  );
}
