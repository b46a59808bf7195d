/** The frame of a page: where we are, what it is called, what can be done here. */
import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

export interface Crumb {
  label: string;
  to: string;
}

export function Page({
  title,
  name,
  crumbs = [],
  lead,
  badges,
  actions,
  children,
}: {
  title: ReactNode;
  /** What the browser's tab says, where the title is more than words. */
  name?: string;
  crumbs?: Crumb[];
  lead?: ReactNode;
  badges?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const words = name ?? (typeof title === "string" ? title : "");
  useEffect(() => {
    document.title = words ? `${words} · Moorage` : "Moorage";
  }, [words]);
  return (
    <Stack gap="lg" maw="var(--page-width)" mx="auto" w="100%">
      <Stack gap={4}>
        {crumbs.length > 0 && (
          <Breadcrumbs separatorMargin={6} fz="sm" aria-label="Where you are">
            {crumbs.map((crumb) => (
              <Anchor
                key={crumb.to}
                size="sm"
                renderRoot={(props) => <Link to={crumb.to} {...props} />}
              >
                {crumb.label}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="sm" align="center">
            <Title order={1}>{title}</Title>
            {badges}
          </Group>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {lead && (
          <Text c="dimmed" maw={820}>
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}
