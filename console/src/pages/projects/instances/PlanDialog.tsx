/** A change of an instance, shown as its plan before it is asked for. */
import { Alert, Stack } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Ask } from "@/components/Ask";
import { Face } from "@/components/Faces";
import { PlanSummary } from "@/components/PlanSummary";
import { useAct } from "@/lib/act";
import { answer, client, type Given, type Schemas } from "@/lib/api";
import type { Instance } from "@/lib/members";

type Plan = Schemas["PlanRead"];
type Operation = Schemas["OperationRead"];
/** What a kind does not take is left out. */
type Wish = Pick<Schemas["ChangePlanWrite"], "kind"> & Partial<Schemas["ChangePlanWrite"]>;

export interface PlanDialogProps {
  instance: Instance;
  title: string;
  /** What the button says. */
  verb: string;
  wish: Wish;
  /** Asks for what the plan says. */
  apply: (
    given: { plan: string; reason: string },
    headers: { "idempotency-key": string },
  ) => Promise<Given<Operation>>;
  onClose: () => void;
  /** In place of going to the operation. */
  onDone?: (operation: Operation) => void;
  reason?: "none" | "optional" | "required";
  danger?: boolean;
  /** Must be typed, where this plan takes something away for good. */
  confirm?: (plan: Plan) => string | undefined;
  /** Of the configuration; gives its fields their names. */
  schema?: unknown;
  warnings?: ReactNode[];
  /** Choices that stand above the plan. */
  children?: ReactNode;
}

export function PlanDialog({
  instance,
  title,
  verb,
  wish,
  apply,
  onClose,
  onDone,
  reason = "optional",
  danger,
  confirm,
  schema,
  warnings,
  children,
}: PlanDialogProps) {
  const navigate = useNavigate();
  const [moved, setMoved] = useState(false);
  const plan = usePlan(instance.id, wish);
  const asked = useAct(apply, {
    quiet: true,
    done: `${title}: asked for`,
    onDone: (operation) => {
      onClose();
      if (onDone) onDone(operation);
      else void navigate({ to: "/operations/$operation", params: { operation: operation.id } });
    },
  });
  const submit = (why: string) => {
    if (!plan.data) return;
    asked.mutate(
      { plan: plan.data.id, reason: why },
      {
        onError: (refusal) => {
          if (refusal.code !== "plan_stale") return;
          setMoved(true);
          asked.reset();
          void plan.refetch();
        },
      },
    );
  };
  return (
    <Ask
      opened
      title={title}
      verb={verb}
      onClose={onClose}
      onSubmit={submit}
      reason={reason}
      danger={danger}
      confirm={plan.data && confirm?.(plan.data)}
      busy={asked.isPending}
      blocked={!plan.data?.policy.allowed || plan.isFetching}
      refusal={asked.error}
      size="xl"
    >
      <Stack gap="md">
        {children}
        {moved && (
          <Alert color="yellow" icon={<IconRefresh aria-hidden />} role="status">
            Something has moved since you looked. This is what would happen now.
          </Alert>
        )}
        <Face of={plan} rows={4}>
          {(found) => (
            <PlanSummary
              plan={found}
              before={instance.config}
              schema={schema}
              warnings={warnings}
            />
          )}
        </Face>
      </Stack>
    </Ask>
  );
}

/** A plan is asked for like a question: it changes nothing, and is out of date when the wish is another. */
function usePlan(instance: string, wish: Wish) {
  return useQuery({
    queryKey: ["a plan", { instance }, wish] as const,
    queryFn: ({ signal }) =>
      answer(
        client.POST("/v1/instances/{instance}/plans", {
          params: { path: { instance } },
          body: wish as Schemas["ChangePlanWrite"],
          signal,
        }),
      ),
    gcTime: 0,
    retry: false,
    // What somebody reads here is what they agree to: another one is made when they ask for it.
    staleTime: "static",
  });
}
