/** Who is here, and which places they know. */
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { ask, type Schemas } from "@/lib/api";
import { type May, may } from "@/lib/can";

export type Me = Schemas["MeRead"];

export interface Project {
  id: string;
  slug: string;
  name: string;
  org: Org;
}

export interface Org {
  id: string;
  slug: string;
  name: string;
  /** They hold something in the org as a whole, not in single projects of it alone. */
  whole: boolean;
}

/** The org in which the platform itself lives. */
export const PLATFORM_ORG = `org_${"0".repeat(26)}`;

export const askMe = ask("/v1/me", {});

export function useMe(): Me {
  return useSuspenseQuery(askMe).data;
}

export function orgsOf(me: Me): Org[] {
  const found = new Map<string, Org>();
  for (const grant of me.grants) {
    const before = found.get(grant.org_id);
    const whole = grant.project_id === null || (before?.whole ?? false);
    found.set(grant.org_id, {
      id: grant.org_id,
      slug: grant.org_slug,
      name: grant.org_name,
      whole,
    });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Every project that somebody can open: those they have a role in, and all of an org that they hold as a whole. */
export function useProjects(): { projects: Project[]; isPending: boolean } {
  const me = useMe();
  const orgs = useMemo(() => orgsOf(me), [me]);
  const whole = orgs.filter(
    (org) => org.whole && may(me, "iam.project.read", { org: org.id }).allowed,
  );
  const asked = useQueries({
    queries: whole.map((org) => ask("/v1/orgs/{org}/projects", { org: org.id }, { limit: 200 })),
  });
  const found = new Map<string, Project>();
  for (const grant of me.grants) {
    const org = orgs.find((each) => each.id === grant.org_id);
    if (org && grant.project_id && grant.project_slug && grant.project_name)
      found.set(grant.project_id, {
        id: grant.project_id,
        slug: grant.project_slug,
        name: grant.project_name,
        org,
      });
  }
  asked.forEach((answer, index) => {
    const org = whole[index];
    for (const project of org ? (answer.data?.items ?? []) : [])
      if (org)
        found.set(project.id, { id: project.id, slug: project.slug, name: project.name, org });
  });
  const projects = [...found.values()].sort(
    (a, b) => a.org.name.localeCompare(b.org.name) || a.name.localeCompare(b.name),
  );
  return { projects, isPending: asked.some((answer) => answer.isPending) };
}

/** The project that the address names; null where it names none, or none that they know. */
export function useProject(): Project | null {
  const { org, project } = useParams({ strict: false });
  const { projects } = useProjects();
  return projects.find((each) => each.slug === project && each.org.slug === org) ?? null;
}

/** The project of a page that lies below one: the layout shows no such page without it. */
export function useThisProject(): Project {
  const project = useProject();
  if (!project) throw new Error("this page lies outside a project");
  return project;
}

export function useThisOrg(): Org {
  const me = useMe();
  const { org } = useParams({ strict: false });
  const found = orgsOf(me).find((each) => each.slug === org);
  if (!found) throw new Error("this page lies outside an org");
  return found;
}

/** Asks for keys in the project of the address: `const can = useCan(); can("apps.instance.create")`. */
export function useCan(): (key: string) => May {
  const me = useMe();
  const project = useProject();
  const [org, id] = [project?.org.id, project?.id];
  return useCallback((key) => may(me, key, org && id ? { org, project: id } : {}), [me, org, id]);
}
