/** Exactly what can be done about an operation, each with what it does, and room for the reason. */
import { Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Ask } from "@/components/Ask";
import { Verb } from "@/components/Verb";
import { useAct } from "@/lib/act";
import { client } from "@/lib/api";
import { may, no } from "@/lib/can";
import { kindWords } from "@/lib/format";
import { useMe, useProjects } from "@/lib/me";
import { type Operation, type OperationVerb, verbWords } from "@/lib/operations";
import { projectPath } from "@/lib/paths";
import { useSearchParam } from "@/lib/search";

type Asked = Exclude<OperationVerb, "replace">;

const PATHS = {
  retry: "/v1/operations/{operation}/retry",
  resume: "/v1/operations/{operation}/resume",
  cancel: "/v1/operations/{operation}/cancel",
  abandon: "/v1/operations/{operation}/abandon",
} as const;

const DONE: Record<Asked, string> = {
  retry: "It is tried again",
  resume: "It goes on",
  cancel: "It is being cancelled",
  abandon: "It was abandoned",
};

const KEYS: Record<OperationVerb, string> = {
  retry: "apps.operation.retry",
  resume: "apps.operation.resume",
  cancel: "apps.operation.cancel",
  abandon: "apps.operation.abandon",
  replace: "apps.member.replace",
};

export function OperationVerbs({
  operation,
  several = false,
}: {
  operation: Operation;
  /** The page shows verbs of other operations as well: which one is meant stands in the address. */
  several?: boolean;
}) {
  const me = useMe();
  const [open, setOpen] = useSearchParam("do");
  const replace = useReplace(operation);
  const place = { org: operation.org_id, project: operation.project_id };
  if (operation.verbs.length === 0) return null;
  const named = (verb: OperationVerb) => (several ? `${verb}:${operation.id}` : verb);
  const asked = operation.verbs.find((verb) => named(verb) === open && verb !== "replace");
  return (
    <>
      <Group gap="xs">
        {operation.verbs.map((verb, index) => {
          const { label, danger } = verbWords(verb, operation);
          const allowed = may(me, KEYS[verb], place);
          const reachable =
            verb === "replace" && !replace ? no("Its project is not open to you.") : allowed;
          return (
            <Verb
              key={verb}
              may={reachable}
              size="sm"
              variant={index === 0 && !danger ? "filled" : "default"}
              onClick={verb === "replace" && replace ? replace : () => setOpen(named(verb))}
            >
              {label}
            </Verb>
          );
        })}
      </Group>
      {asked && (
        <VerbDialog
          key={asked}
          operation={operation}
          verb={asked as Asked}
          onClose={() => setOpen("")}
        />
      )}
    </>
  );
}

/** One sentence for each verb that is offered. */
export function VerbSentences({ operation }: { operation: Operation }) {
  return (
    <Stack gap={2}>
      {operation.verbs.map((verb) => {
        const { label, does } = verbWords(verb, operation);
        return (
          <Text size="sm" key={verb}>
            <b>{label}.</b> {does}
          </Text>
        );
      })}
    </Stack>
  );
}

function VerbDialog({
  operation,
  verb,
  onClose,
}: {
  operation: Operation;
  verb: Asked;
  onClose: () => void;
}) {
  const { label, does, danger } = verbWords(verb, operation);
  const act = useAct(
    (reason: string, headers) =>
      client.POST(PATHS[verb], {
        params: { path: { operation: operation.id } },
        body: { reason },
        headers,
      }),
    { done: DONE[verb], onDone: onClose, quiet: true },
  );
  const what = kindWords(operation.kind, operation.action);
  return (
    <Ask
      opened
      title={`${label}: ${what}`}
      verb={label}
      danger={danger}
      reason="required"
      onClose={onClose}
      onSubmit={(reason) => act.mutate(reason)}
      busy={act.isPending}
      refusal={act.error}
    >
      <Text size="sm">{does}</Text>
    </Ask>
  );
}

/** A member is replaced where members are; this is the way there. */
function useReplace(operation: Operation): (() => void) | null {
  const { projects } = useProjects();
  const navigate = useNavigate();
  const project = projects.find(({ id }) => id === operation.project_id);
  const { instance_id: instance, member_id: member } = operation;
  if (!project || !instance || !member) return null;
  return () =>
    void navigate({
      to: projectPath(project, "instances", instance, "members"),
      search: { do: "replace", member } as never,
    });
}
