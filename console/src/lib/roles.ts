/** Roles in words. Pure. */
import { sentence } from "@/lib/format";

const ROLES: Record<string, string> = {
  platform_admin: "Platform admin",
  tenant_admin: "Organisation admin",
  project_admin: "Project admin",
  project_member: "Member",
  viewer: "Viewer",
};

export function roleWords(role: string): string {
  return ROLES[role] ?? sentence(role);
}
