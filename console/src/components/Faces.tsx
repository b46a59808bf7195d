/** The faces of a page that has no content to show: loading, empty, refused. */
import {
  Alert,
  Button,
  Center,
  Group,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from "@mantine/core";
import { type Icon, IconAlertTriangle, IconLock } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ToTriage } from "@/components/WhyRefused";
import { Refusal } from "@/lib/api";
import type { Pages } from "@/lib/pages";

export function Loading({ rows = 5 }: { rows?: number }) {
  return (
    <Stack gap="sm" p="md" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without content have no other name
        <Skeleton key={row} height={18} width={`${96 - ((row * 17) % 40)}%`} radius="sm" />
      ))}
    </Stack>
  );
}

/** Says what would stand here, and what to do first. */
export function Empty({
  icon: Shape,
  title,
  children,
  action,
}: {
  icon: Icon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={460}>
        <ThemeIcon size={52} radius="xl" variant="light" color="gray">
          <Shape size={26} stroke={1.6} aria-hidden />
        </ThemeIcon>
        <Title order={2} ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center" component="div">
            {children}
          </Text>
        )}
        {action && <Group mt="xs">{action}</Group>}
      </Stack>
    </Center>
  );
}

export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const refusal = error instanceof Refusal ? error : null;
  if (refusal?.isAbsent)
    return (
      <Empty icon={IconLock} title="There is nothing here">
        It was removed, it never was, or you have no role where it lives.
      </Empty>
    );
  return (
    <Alert
      m="md"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={refusal?.title ?? "Something broke"}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error.message}</Text>
        <Group gap="md">
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {refusal && <ToTriage refusal={refusal} />}
        </Group>
      </Stack>
    </Alert>
  );
}

/**
 * `<Face of={useQuery(…)}>{(data) => …}</Face>`: content once it is there, until then the face that fits. What was
 * removed since is no longer shown.
 */
export function Face<T>({
  of,
  rows,
  children,
}: {
  of: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const isAbsent = of.error instanceof Refusal && of.error.isAbsent;
  if (of.data !== undefined && !isAbsent) return children(of.data);
  if (of.error) return <Failed error={of.error} retry={() => void of.refetch()} />;
  return <Loading rows={rows} />;
}

/** The same for lists in pages; `empty` is shown when there is none. */
export function ListFace<T>({
  of,
  empty,
  children,
}: {
  of: Pages<T>;
  empty: ReactNode;
  children: (items: T[]) => ReactNode;
}) {
  if (of.items.length > 0) return children(of.items);
  if (of.error) return <Failed error={of.error} retry={of.refetch} />;
  if (of.isPending) return <Loading />;
  return empty;
}
