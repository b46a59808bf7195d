/**
 * Deploying an app, in four steps. Each step has its address, and nothing that was chosen is lost by
 * a reload or the way back.
 */
import { Box, Stepper } from "@mantine/core";
import { IconPackageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Empty, Face, Failed, Loading } from "@/components/Faces";
import { Page } from "@/components/Page";
import { ToButton } from "@/components/To";
import { answer, ask, client, Refusal, type Schemas } from "@/lib/api";
import { manifestOf } from "@/lib/manifest";
import { useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { usePath } from "@/lib/paths";
import { useSearchParam } from "@/lib/search";
import { ConfigStep } from "@/pages/projects/catalog/deploy/ConfigStep";
import {
  body,
  keep,
  recall,
  STEPS,
  type Step,
  stepMissing,
} from "@/pages/projects/catalog/deploy/draft";
import { NameStep } from "@/pages/projects/catalog/deploy/NameStep";
import { PlacementStep } from "@/pages/projects/catalog/deploy/PlacementStep";
import type { StepProps } from "@/pages/projects/catalog/deploy/props";
import { ReviewStep, useDeploy } from "@/pages/projects/catalog/deploy/ReviewStep";
import { type Standing, useAppOf, useStanding } from "@/pages/projects/catalog/offers";

const TITLES: Record<Step, string> = {
  name: "Name and version",
  placement: "Machines",
  config: "Configuration",
  review: "Review",
};

type App = Schemas["AppRead"];

export function DeployPage() {
  const { app: slug = "" } = useParams({ strict: false });
  const path = usePath();
  const found = useAppOf(slug);
  if (found.data && !found.app) return <Failed error={new Refusal(404, {})} />;
  return (
    <Page
      title={`Deploy ${found.app?.name ?? ""}`}
      crumbs={[
        { label: "Catalog", to: path("catalog") },
        { label: found.app?.name ?? slug, to: path("catalog", slug) },
      ]}
    >
      <Face of={found}>{() => found.app && <Entitled app={found.app} />}</Face>
    </Page>
  );
}

/** Nobody fills in a form that can only be refused. */
function Entitled({ app }: { app: App }) {
  const path = usePath();
  const standing = useStanding(app);
  if (standing.isPending) return <Loading />;
  if (standing.state === "usable") return <Release app={app} standing={standing} />;
  const why = {
    off: "Its entitlement is switched off. Whoever looks after entitlements can switch it on again.",
    waiting: "A version of it asks for more than was accepted, and waits for consent.",
    asking: "This project is not entitled to it yet.",
    empty: "There is no version that this project may use.",
  }[standing.state];
  return (
    <Empty
      icon={IconPackageOff}
      title={`${app.name} cannot be deployed here yet`}
      action={<ToButton to={path("catalog", app.slug)}>See what it needs</ToButton>}
    >
      {why}
    </Empty>
  );
}

/** Which version the draft means, and what it says about itself. */
function Release({ app, standing }: { app: App; standing: Standing }) {
  const project = useThisProject();
  const [draft, setDraft] = useState(() => recall(project.id, app.id));
  useEffect(() => keep(project.id, app.id, draft), [project.id, app.id, draft]);
  const versions = usePages("/v1/apps/{app}/versions", { app: app.id }, { limit: 200 });
  const channels = useQuery(ask("/v1/apps/{app}/channels", { app: app.id }));
  const [how, which] = draft.release.split(/:(.*)/s);
  const id =
    (how === "version" && versions.items.find((each) => each.number === which)?.id) ||
    (how === "channel" &&
      channels.data?.items.find((each) => each.channel === which)?.version_id) ||
    standing.version?.id ||
    "";
  const version = useQuery(ask("/v1/app-versions/{version}", { version: id }));
  return (
    <Face of={version}>
      {(chosen) => (
        <Wizard
          app={app}
          standing={standing}
          version={chosen}
          versions={versions.items.filter((each) =>
            ["published", "deprecated"].includes(each.status),
          )}
          channels={channels.data?.items ?? []}
          draft={draft}
          onChange={setDraft}
        />
      )}
    </Face>
  );
}

function Wizard(props: Omit<StepProps, "faults" | "go">) {
  const { app, version, draft } = props;
  const navigate = useNavigate();
  const [address] = useSearchParam("step", "name");
  const step = STEPS.find((each) => each === address) ?? "name";
  const go = (to: Step) => {
    const search = (before: object) => ({ ...before, step: to === "name" ? undefined : to });
    void navigate({ to: ".", search: search as never });
  };
  const { components } = manifestOf(version);
  const missing = stepMissing(draft, components);
  const operators = useQuery(ask("/v1/apps/{app}/operators", { app: app.id }, { limit: 200 }));
  const operator =
    operators.data?.items.find((each) => each.id === draft.operator) ?? operators.data?.items[0];
  const asked = operator && body(draft, app.id, components, operator.id);
  const act = useDeploy(app);
  // While it is being applied, what the plan was made from changes under it.
  const applied = act.isPending || act.isSuccess;
  const plan = usePlan(asked, step === "review" && missing === "review" && !applied);
  const refusal = plan.error instanceof Refusal ? plan.error : null;
  const shared = { ...props, go, faults: refusal?.faults ?? [] };
  const active = STEPS.indexOf(step);
  return (
    <>
      <Stepper
        active={active}
        onStepClick={(at) => go(STEPS[at] ?? "name")}
        size="sm"
        iconSize={32}
        styles={{ content: { padding: 0 }, separator: { marginInline: 8 } }}
      >
        {STEPS.map((each, index) => (
          <Stepper.Step
            key={each}
            label={<Box visibleFrom="sm">{TITLES[each]}</Box>}
            aria-label={`${index + 1} ${TITLES[each]}`}
            aria-current={each === step ? "step" : undefined}
          />
        ))}
      </Stepper>
      {step === "name" && <NameStep {...shared} />}
      {step === "placement" && <PlacementStep {...shared} />}
      {step === "config" && <ConfigStep {...shared} />}
      {step === "review" && (
        <ReviewStep
          {...shared}
          missing={missing}
          operator={operator}
          operators={operators}
          asked={asked}
          plan={plan}
          act={act}
        />
      )}
    </>
  );
}

/** A plan of what is chosen now. It is made again when policy or the catalog move. */
function usePlan(asked: Schemas["DeployPlanWrite"] | undefined, enabled: boolean) {
  const project = useThisProject();
  return useQuery({
    queryKey: ["/v1/projects/{project}/plans", { project: project.id }, asked ?? null],
    queryFn: () =>
      answer(
        client.POST("/v1/projects/{project}/plans", {
          params: { path: { project: project.id } },
          body: asked as Schemas["DeployPlanWrite"],
        } as never),
      ) as Promise<Schemas["PlanRead"]>,
    enabled: enabled && asked !== undefined,
    retry: false,
  });
}
