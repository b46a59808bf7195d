/** What a service account can be given here: what means something in a project, and the giver holds. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ask } from "@/lib/api";
import { useCan } from "@/lib/me";

export function useGrantable(): string[] {
  const can = useCan();
  const { data } = useQuery(ask("/v1/roles", {}));
  const keys = useMemo(
    () => data?.items.find((role) => role.role === "project_admin")?.permissions ?? [],
    [data],
  );
  return keys.filter((key) => can(key).allowed);
}
