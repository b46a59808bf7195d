/** Everything that was asked of an instance. */
import { useThisInstance } from "@/lib/instance";
import { OperationsTable } from "@/pages/projects/operations/OperationsTable";

export function OperationsTab() {
  return <OperationsTable instance={useThisInstance().id} />;
}
