/** Everything that was asked for in a project. */
import { useCallback, useMemo } from "react";
import { Page } from "@/components/Page";
import { useThisProject } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { OperationsTable } from "@/pages/projects/operations/OperationsTable";

export function OperationsPage() {
  const project = useThisProject();
  return (
    <Page title="Operations" lead={`What was asked for in ${project.name}, and what came of it.`}>
      <OperationsTable names={useInstanceNames(project.id)} />
    </Page>
  );
}

/** Names in one question, of instances that are gone too. */
function useInstanceNames(project: string): (id: string) => string | null {
  const { items } = usePages(
    "/v1/projects/{project}/instances",
    { project },
    { limit: 200, deleted: true },
  );
  const names = useMemo(() => new Map(items.map(({ id, name }) => [id, name])), [items]);
  return useCallback((id) => names.get(id) ?? null, [names]);
}
