import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Refusal } from "@/lib/api";
import { makeRouter } from "@/routes";
import { theme } from "@/theme";

const colours = localStorageColorSchemeManager({ key: "moorage-colours" });

const queries = new QueryClient({
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

export function App() {
  return (
    <MantineProvider theme={theme} colorSchemeManager={colours} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" limit={4} containerWidth={400} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
