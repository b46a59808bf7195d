/** Everything that was asked for in a project. */
import { Page } from "@/components/Page";
import { useThisProject } from "@/lib/me";
import { OperationsTable } from "@/pages/projects/operations/OperationsTable";

export function OperationsPage() {
  const project = useThisProject();
  return (
    <Page title="Operations" lead={`What was asked for in ${project.name}, and what came of it.`}>
      <OperationsTable />
    </Page>
  );
}
