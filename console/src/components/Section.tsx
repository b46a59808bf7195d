/** A part of a page under a heading of its own. */
import { Box, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function Section({
  title,
  lead,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** The content reaches to the edges, as tables do. */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <Box component="section" className="surface" style={{ overflow: "hidden" }}>
      {(title || actions) && (
        <Group justify="space-between" px="md" pt="sm" pb={flush ? "sm" : 0} gap="xs">
          <div>
            {title && <Title order={2}>{title}</Title>}
            {lead && (
              <Text size="sm" c="dimmed">
                {lead}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      <Box p={flush ? 0 : "md"}>{children}</Box>
    </Box>
  );
}
