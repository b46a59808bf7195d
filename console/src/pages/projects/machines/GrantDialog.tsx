/** Letting somebody of the project into a machine, for a while. */
import { Checkbox, Select } from "@mantine/core";
import { useState } from "react";
import { Ask } from "@/components/Ask";
import { useAct } from "@/lib/act";
import { client, type Schemas } from "@/lib/api";
import { useMe, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";

const TERMS = [
  { value: "3600", label: "1 hour" },
  { value: "28800", label: "8 hours" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "1 week" },
  { value: "2592000", label: "30 days" },
];

export function GrantDialog({
  machine,
  onClose,
}: {
  machine: Schemas["AllocationRead"];
  onClose: () => void;
}) {
  const me = useMe();
  const project = useThisProject();
  const people = usePages(
    "/v1/projects/{project}/memberships",
    { project: project.id },
    { limit: 200 },
  );
  const [user, setUser] = useState(me.id);
  const [term, setTerm] = useState("28800");
  const [sudo, setSudo] = useState(false);
  const [forwarding, setForwarding] = useState(false);
  const act = useAct(
    (given: Schemas["AccessGrantCreate"], headers) =>
      client.POST("/v1/allocations/{allocation}/grants", {
        params: { path: { allocation: machine.id } },
        body: given,
        headers,
      }),
    { quiet: true, done: "They can enter in a few seconds", onDone: onClose },
  );
  const others = people.items
    .filter((each) => each.user_id !== me.id)
    .map((each) => ({ value: each.user_id, label: `${each.name} (${each.email})` }));
  return (
    <Ask
      title={`Let somebody into ${machine.name}`}
      opened
      onClose={onClose}
      verb="Let them in"
      reason="optional"
      busy={act.isPending}
      refusal={act.error}
      onSubmit={(reason) =>
        act.mutate({
          user: user === me.id ? null : user,
          expires_in: Number(term),
          sudo,
          forwarding,
          reason: reason || null,
        })
      }
    >
      <Select
        label="Who"
        data={[{ value: me.id, label: `You (${me.name})` }, ...others]}
        value={user}
        onChange={(value) => setUser(value ?? me.id)}
        allowDeselect={false}
        searchable={others.length > 8}
      />
      <Select
        label="For how long"
        data={TERMS}
        value={term}
        onChange={(value) => setTerm(value ?? "28800")}
        allowDeselect={false}
      />
      <Checkbox
        label="May become root"
        description="With sudo, for work on the machine itself."
        checked={sudo}
        onChange={(event) => setSudo(event.currentTarget.checked)}
      />
      <Checkbox
        label="May forward ports"
        description="To reach what listens on the machine from their own."
        checked={forwarding}
        onChange={(event) => setForwarding(event.currentTarget.checked)}
      />
    </Ask>
  );
}
