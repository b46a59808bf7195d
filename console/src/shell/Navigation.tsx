import { NavLink, ScrollArea, Stack, Text } from "@mantine/core";
import { Link, useLocation, useParams } from "@tanstack/react-router";
import { type Org, orgsOf, useMe, useProject } from "@/lib/me";
import { type Place, placesFor } from "@/shell/places";

export function Navigation() {
  const me = useMe();
  const project = useProject();
  const org = useOrgOfAddress();
  const { pathname } = useLocation();
  return (
    <ScrollArea p="sm" type="auto">
      <nav aria-label="Main">
        <Stack gap="md">
          {placesFor(me, project, org).map((group) => (
            <div key={group.title}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
                {group.title}
              </Text>
              {group.places.map((place) => (
                <Entry key={place.to} place={place} active={isAt(place, pathname)} />
              ))}
            </div>
          ))}
        </Stack>
      </nav>
    </ScrollArea>
  );
}

function Entry({ place, active }: { place: Place; active: boolean }) {
  const common = {
    label: place.label,
    leftSection: <place.icon size={18} stroke={1.6} aria-hidden />,
    active,
    "aria-current": active ? ("page" as const) : undefined,
    style: { borderRadius: "var(--mantine-radius-md)" },
    py: 6,
  };
  if (place.outside) return <NavLink href={place.to} target="_blank" {...common} />;
  return (
    <NavLink
      {...common}
      renderRoot={(props) => <Link to={place.to} activeOptions={{ exact: true }} {...props} />}
    />
  );
}

export function useOrgOfAddress(): Org | null {
  const me = useMe();
  const { org } = useParams({ strict: false });
  return orgsOf(me).find((each) => each.slug === org) ?? null;
}

/** Instances lie below the project's own address, so its first entry is theirs too. */
function isAt(place: Place, pathname: string): boolean {
  const here = pathname.replace(/\/$/, "");
  if (place.exact) return here === place.to || here.startsWith(`${place.to}/instances/`);
  return here === place.to || here.startsWith(`${place.to}/`);
}
