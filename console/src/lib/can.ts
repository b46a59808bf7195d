/** May this button be pressed, and if not, why. The platform decides; this only spares a refusal. */
import type { Schemas } from "@/lib/api";

type Me = Schemas["MeRead"];

export interface May {
  allowed: boolean;
  /** Why not, in a sentence for a tooltip. */
  why: string | null;
}

export const YES: May = { allowed: true, why: null };

export function no(why: string): May {
  return { allowed: false, why };
}

/** Whether somebody holds a key in a project, in an org as a whole, or (neither given) anywhere. */
export function may(me: Me, key: string, place: { org?: string; project?: string } = {}): May {
  const holds =
    me.own_permissions.includes(key) || me.grants.some((grant) => covers(grant, key, place));
  return holds ? YES : no(`You need the permission ${key} ${where(place)}.`);
}

function covers(
  grant: Me["grants"][number],
  key: string,
  place: { org?: string; project?: string },
): boolean {
  if (!grant.permissions.includes(key)) return false;
  if (place.org !== undefined && grant.org_id !== place.org) return false;
  if (place.project === undefined) return place.org === undefined || grant.project_id === null;
  return grant.project_id === null ? place.org !== undefined : grant.project_id === place.project;
}

function where(place: { org?: string; project?: string }): string {
  if (place.project !== undefined) return "in this project; its admins can give you a role";
  return place.org === undefined
    ? "on this platform"
    : "in this organisation; its admins can give you a role";
}

/** The first of several reasons against, or yes. */
export function all(...mays: May[]): May {
  return mays.find((each) => !each.allowed) ?? YES;
}
