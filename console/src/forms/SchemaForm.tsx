/** A form drawn from a JSON schema: of an app's configuration, or of the input of an action. Fetched when needed. */
import { Skeleton, Stack } from "@mantine/core";
import { lazy, type ReactNode, Suspense } from "react";

const Drawn = lazy(() => import("@/forms/DrawnForm"));

export interface SchemaFormProps {
  schema: Record<string, unknown>;
  /** Hints of how to draw it. */
  hints?: Record<string, unknown>;
  value: unknown;
  onChange: (value: unknown) => void;
  onSubmit?: (value: unknown) => void;
  /** What the platform found wrong, by field: `/partitions/0/name`. */
  faults?: readonly { location: string; message: string }[];
  disabled?: boolean;
  /** The names of its fields begin with it; two forms on a page need two. */
  id?: string;
  /** What ends the form: its buttons. */
  children?: ReactNode;
}

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense
      fallback={
        <Stack gap="sm" aria-busy="true">
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      }
    >
      <Drawn {...props} />
    </Suspense>
  );
}
