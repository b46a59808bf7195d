/** Every address of the console. Pages are fetched when they are first opened. */
import { Notifications } from "@mantine/notifications";
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { Failed, Loading } from "@/components/Faces";
import { keepCsrf, Refusal } from "@/lib/api";
import { askMe } from "@/lib/me";
import type { Search } from "@/lib/search";
import { OrgLayout, ProjectLayout, Shell } from "@/shell/Shell";

interface Context {
  queries: QueryClient;
}

/** Words at the edge of the screen lead to pages, so they live where pages do. */
function Root() {
  return (
    <>
      <Notifications position="bottom-right" limit={4} containerWidth={400} />
      <Outlet />
    </>
  );
}

const root = createRootRouteWithContext<Context>()({
  component: Root,
  validateSearch: (given: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    ),
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyRouteComponent(() => import("@/pages/login/LoginPage"), "LoginPage"),
});
const password = createRoute({
  getParentRoute: () => root,
  path: "/login/password",
  component: lazyRouteComponent(() => import("@/pages/login/PasswordPage"), "PasswordPage"),
});

/** Everything behind the sign-in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      const me = await context.queries.ensureQueryData(askMe);
      keepCsrf(me.csrf_token);
    } catch (err) {
      if (err instanceof Refusal && err.status === 401)
        throw redirect({
          to: "/login",
          search: location.href === "/" ? {} : { to: location.href },
        });
      throw err;
    }
  },
});

type Path = Parameters<typeof createRoute>[0] extends { path?: infer P } ? P : string;
const page = <P extends string>(path: P & Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => inside, path, component });

const project = createRoute({
  getParentRoute: () => inside,
  path: "/projects/$org/$project",
  component: ProjectLayout,
});
const within = <P extends string>(
  path: P & Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => project, path, component });

const org = createRoute({ getParentRoute: () => inside, path: "/orgs/$org", component: OrgLayout });
const ofOrg = <P extends string>(
  path: P & Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => org, path, component });

const instance = createRoute({
  getParentRoute: () => project,
  path: "/instances/$instance",
  component: lazyRouteComponent(
    () => import("@/pages/projects/instances/InstancePage"),
    "InstancePage",
  ),
});
const ofInstance = <P extends string>(
  path: P & Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => instance, path, component });

const tree = root.addChildren([
  login,
  password,
  inside.addChildren([
    page(
      "/",
      lazyRouteComponent(() => import("@/pages/HomePage"), "HomePage"),
    ),
    page(
      "/login/code",
      lazyRouteComponent(() => import("@/pages/login/CodePage"), "CodePage"),
    ),
    page(
      "/me",
      lazyRouteComponent(() => import("@/pages/me/MePage"), "MePage"),
    ),
    page(
      "/operations/$operation",
      lazyRouteComponent(() => import("@/pages/operations/OperationPage"), "OperationPage"),
    ),
    page(
      "/triage",
      lazyRouteComponent(() => import("@/pages/triage/TriagePage"), "TriagePage"),
    ),
    page(
      "/triage/$correlation",
      lazyRouteComponent(() => import("@/pages/triage/TriagePage"), "TriagePage"),
    ),
    page(
      "/audit",
      lazyRouteComponent(() => import("@/pages/evidence/AuditPage"), "AuditPage"),
    ),
    page(
      "/events",
      lazyRouteComponent(() => import("@/pages/evidence/EventsPage"), "EventsPage"),
    ),
    page(
      "/platform/nodes",
      lazyRouteComponent(() => import("@/pages/platform/NodesPage"), "NodesPage"),
    ),
    page(
      "/platform/nodes/$node",
      lazyRouteComponent(() => import("@/pages/platform/NodePage"), "NodePage"),
    ),
    page(
      "/platform/classes",
      lazyRouteComponent(() => import("@/pages/platform/ClassesPage"), "ClassesPage"),
    ),
    page(
      "/platform/orgs",
      lazyRouteComponent(() => import("@/pages/platform/OrgsPage"), "OrgsPage"),
    ),
    page(
      "/platform/people",
      lazyRouteComponent(() => import("@/pages/platform/UsersPage"), "UsersPage"),
    ),
    page(
      "/platform/policy",
      lazyRouteComponent(() => import("@/pages/platform/GlobalPolicyPage"), "GlobalPolicyPage"),
    ),
    org.addChildren([
      ofOrg(
        "/",
        lazyRouteComponent(() => import("@/pages/orgs/OrgPage"), "OrgPage"),
      ),
      ofOrg(
        "/people",
        lazyRouteComponent(() => import("@/pages/orgs/OrgPeoplePage"), "OrgPeoplePage"),
      ),
      ofOrg(
        "/policy",
        lazyRouteComponent(() => import("@/pages/orgs/OrgPolicyPage"), "OrgPolicyPage"),
      ),
    ]),
    project.addChildren([
      within(
        "/",
        lazyRouteComponent(
          () => import("@/pages/projects/instances/InstancesPage"),
          "InstancesPage",
        ),
      ),
      within(
        "/catalog",
        lazyRouteComponent(() => import("@/pages/projects/catalog/CatalogPage"), "CatalogPage"),
      ),
      within(
        "/catalog/$app",
        lazyRouteComponent(() => import("@/pages/projects/catalog/AppPage"), "AppPage"),
      ),
      within(
        "/catalog/$app/deploy",
        lazyRouteComponent(() => import("@/pages/projects/catalog/DeployPage"), "DeployPage"),
      ),
      within(
        "/operations",
        lazyRouteComponent(
          () => import("@/pages/projects/operations/OperationsPage"),
          "OperationsPage",
        ),
      ),
      within(
        "/operations/$operation",
        lazyRouteComponent(() => import("@/pages/operations/OperationPage"), "OperationPage"),
      ),
      within(
        "/machines",
        lazyRouteComponent(() => import("@/pages/projects/machines/MachinesPage"), "MachinesPage"),
      ),
      within(
        "/machines/$allocation",
        lazyRouteComponent(() => import("@/pages/projects/machines/MachinePage"), "MachinePage"),
      ),
      within(
        "/people",
        lazyRouteComponent(() => import("@/pages/projects/people/PeoplePage"), "PeoplePage"),
      ),
      within(
        "/accounts",
        lazyRouteComponent(() => import("@/pages/projects/accounts/AccountsPage"), "AccountsPage"),
      ),
      within(
        "/accounts/$account",
        lazyRouteComponent(() => import("@/pages/projects/accounts/AccountPage"), "AccountPage"),
      ),
      within(
        "/policy",
        lazyRouteComponent(() => import("@/pages/projects/policy/PolicyPage"), "PolicyPage"),
      ),
      within(
        "/entitlements",
        lazyRouteComponent(
          () => import("@/pages/projects/entitlements/EntitlementsPage"),
          "EntitlementsPage",
        ),
      ),
      within(
        "/publishing",
        lazyRouteComponent(
          () => import("@/pages/projects/publishing/PublishingPage"),
          "PublishingPage",
        ),
      ),
      within(
        "/publishing/$app",
        lazyRouteComponent(
          () => import("@/pages/projects/publishing/PublishedAppPage"),
          "PublishedAppPage",
        ),
      ),
      instance.addChildren([
        ofInstance(
          "/",
          lazyRouteComponent(() => import("@/pages/projects/instances/OverviewTab"), "OverviewTab"),
        ),
        ofInstance(
          "/members",
          lazyRouteComponent(() => import("@/pages/projects/instances/MembersTab"), "MembersTab"),
        ),
        ofInstance(
          "/operations",
          lazyRouteComponent(
            () => import("@/pages/projects/instances/OperationsTab"),
            "OperationsTab",
          ),
        ),
        ofInstance(
          "/views",
          lazyRouteComponent(() => import("@/pages/projects/instances/ViewsTab"), "ViewsTab"),
        ),
        ofInstance(
          "/views/$view",
          lazyRouteComponent(() => import("@/pages/projects/instances/ViewsTab"), "ViewsTab"),
        ),
        ofInstance(
          "/actions",
          lazyRouteComponent(() => import("@/pages/projects/instances/ActionsTab"), "ActionsTab"),
        ),
        ofInstance(
          "/access",
          lazyRouteComponent(() => import("@/pages/projects/instances/AccessTab"), "AccessTab"),
        ),
        ofInstance(
          "/config",
          lazyRouteComponent(() => import("@/pages/projects/instances/ConfigTab"), "ConfigTab"),
        ),
        ofInstance(
          "/versions",
          lazyRouteComponent(() => import("@/pages/projects/instances/VersionsTab"), "VersionsTab"),
        ),
        ofInstance(
          "/events",
          lazyRouteComponent(() => import("@/pages/projects/instances/EventsTab"), "EventsTab"),
        ),
        ofInstance(
          "/lifecycle",
          lazyRouteComponent(
            () => import("@/pages/projects/instances/LifecycleTab"),
            "LifecycleTab",
          ),
        ),
      ]),
    ]),
  ]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: "intent",
    defaultPendingComponent: () => <Loading />,
    defaultPendingMinMs: 0,
    defaultErrorComponent: ({ error, reset }) => <Failed error={error as Error} retry={reset} />,
    defaultNotFoundComponent: () => <Failed error={new Refusal(404, {})} />,
    // Search parameters are plain words, not JSON: people read and write addresses.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const words = new URLSearchParams(
        Object.entries(search).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      ).toString();
      return words && `?${words}`;
    },
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
