import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Refusal } from "@/lib/api";
import { makeRouter } from "@/routes";
import { theme } from "@/theme";

const colours = localStorageColorSchemeManager({ key: "moorage-colours" });

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => leave(error) }),
  defaultOptions: {
    queries: {
      // Events say when something is old; time alone does not make it so.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) =>
        count < 2 && error instanceof Refusal && (error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
});
const router = makeRouter(queries);

/** A session that ended meanwhile leads to the door, and from there back to the same page. */
function leave(error: Error): void {
  const { href, pathname } = router.state.location;
  if (!(error instanceof Refusal && error.status === 401) || pathname.startsWith("/login")) return;
  queries.clear();
  void router.navigate({ to: "/login", search: { to: href } });
}

export function App() {
  return (
    <MantineProvider theme={theme} colorSchemeManager={colours} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
