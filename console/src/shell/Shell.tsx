/** What stands around every page: where one is, where one can go, whether the page is live. */
import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Group,
  Kbd,
  Text,
  Tooltip,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconPlugConnectedX, IconSearch } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { Failed, Loading } from "@/components/Faces";
import { Refusal } from "@/lib/api";
import { stream, useLiveness } from "@/lib/live";
import { orgsOf, useMe, useProjects } from "@/lib/me";
import { persistently } from "@/lib/persistently";
import { Account } from "@/shell/Account";
import { Navigation } from "@/shell/Navigation";
import { openPalette } from "@/shell/palette";
import { Switcher } from "@/shell/Switcher";

const Palette = lazy(() => persistently(() => import("@/shell/Palette")));

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  useEffect(() => stream.start(queries), [queries]);
  // Here and not in the palette, which comes later: the keys work from the first moment on.
  useHotkeys([["mod+K", openPalette]], []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when the page changes
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "sm", sm: "lg" }}
    >
      <a className="skip" href="#content">
        Skip to the page
      </a>
      <AppShell.Header style={{ background: "var(--surface)" }}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? "Close the menu" : "Open the menu"}
            />
            <UnstyledButton
              renderRoot={(props) => <Link to="/" {...props} />}
              aria-label="Moorage, your projects"
            >
              <Group gap={8} wrap="nowrap">
                <img src="/icon.svg" width={26} height={26} alt="" />
                <Text fw={700} visibleFrom="sm">
                  Moorage
                </Text>
              </Group>
            </UnstyledButton>
            <Switcher />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton
              className="surface"
              px="sm"
              h={34}
              visibleFrom="md"
              onClick={openPalette}
              aria-keyshortcuts="Control+K"
            >
              <Group gap="xl" wrap="nowrap">
                <Group gap={6} wrap="nowrap">
                  <IconSearch size={15} aria-hidden />
                  <Text size="sm" c="dimmed">
                    Go to, or do
                  </Text>
                </Group>
                <Kbd size="xs">Ctrl K</Kbd>
              </Group>
            </UnstyledButton>
            <ActionIcon
              variant="subtle"
              color="gray"
              hiddenFrom="md"
              onClick={openPalette}
              aria-label="Go to, or do"
            >
              <IconSearch size={18} />
            </ActionIcon>
            <Live />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar style={{ background: "var(--surface)" }}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: "none" }}>
        <Stale />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <Suspense>
        <Palette />
      </Suspense>
    </AppShell>
  );
}

function Live() {
  const liveness = useLiveness();
  const words = {
    live: "Live: changes show at once",
    connecting: "Connecting",
    stale: "No connection: what you see may be old",
  };
  const colour = { live: "teal.6", connecting: "gray.5", stale: "red.6" };
  return (
    <Tooltip label={words[liveness]}>
      <Box role="status" aria-label={words[liveness]} tabIndex={0} p={8}>
        <Box w={9} h={9} bg={colour[liveness]} style={{ borderRadius: "50%" }} />
      </Box>
    </Tooltip>
  );
}

function Stale() {
  if (useLiveness() !== "stale") return null;
  return (
    <Alert mb="md" color="yellow" icon={<IconPlugConnectedX aria-hidden />} role="status">
      The connection to the platform is lost. What you see may be old; it comes up to date by itself
      when the connection is back.
    </Alert>
  );
}

/** Pages of a project exist only in one that the person knows. */
export function ProjectLayout() {
  const { org, project } = useParams({ strict: false });
  const { projects, isPending } = useProjects();
  const known = projects.some((each) => each.slug === project && each.org.slug === org);
  if (!known) return isPending ? <Loading /> : <Failed error={new Refusal(404, {})} />;
  return <Outlet />;
}

export function OrgLayout() {
  const me = useMe();
  const { org } = useParams({ strict: false });
  return orgsOf(me).some((each) => each.slug === org) ? (
    <Outlet />
  ) : (
    <Failed error={new Refusal(404, {})} />
  );
}
