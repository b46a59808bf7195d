/** An app as a project sees it: may it be used, in which version, and what stands in the way. */
import { useQuery } from "@tanstack/react-query";
import { ask, type Schemas } from "@/lib/api";
import { type May, YES } from "@/lib/can";
import { useCan, useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";

type App = Schemas["AppRead"];

export interface Standing {
  entitlement: Schemas["EntitlementDetail"] | null;
  /** What would be deployed now. */
  version: Schemas["EntitledVersion"] | null;
  isPending: boolean;
  state: "usable" | "off" | "waiting" | "asking" | "empty";
}

export function useStanding(app: App): Standing {
  const project = useThisProject();
  const held = usePages(
    "/v1/projects/{project}/entitlements",
    { project: project.id },
    { limit: 200 },
  );
  const own = held.items.find((each) => each.app_id === app.id);
  const detail = useQuery({
    ...ask("/v1/entitlements/{entitlement}", { entitlement: own?.id ?? "" }),
    enabled: own !== undefined,
  });
  const newest = useQuery({
    ...ask("/v1/apps/{app}/versions", { app: app.id }, { status: "published", limit: 1 }),
    enabled: !held.isPending && own === undefined,
  });
  const entitlement = detail.data ?? null;
  const version = entitlement?.resolved ?? newest.data?.items[0] ?? null;
  return {
    entitlement,
    version,
    isPending: held.isPending || (own ? detail.isPending : newest.isPending),
    state: stateOf(entitlement, version),
  };
}

export function stateOf(
  entitlement: Pick<Schemas["EntitlementDetail"], "enabled" | "resolved" | "waiting"> | null,
  version: Schemas["EntitledVersion"] | null,
): Standing["state"] {
  if (entitlement === null) return version ? "asking" : "empty";
  if (!entitlement.enabled) return "off";
  if (entitlement.resolved) return "usable";
  return entitlement.waiting ? "waiting" : "empty";
}

/** The app that the address names. */
export function useAppOf(slug: string) {
  const found = useQuery(ask("/v1/apps", {}, { slug }));
  return { ...found, app: found.data?.items[0] };
}

/** May they deploy it: by the platform's key, or by one of a family that stands for it on this app. */
export function useMayDeploy(entitlement: Standing["entitlement"]): May {
  const can = useCan();
  const byFamily = entitlement?.your_permissions.some((key) => key.endsWith(".instance.create"));
  return byFamily ? YES : can("apps.instance.create");
}
