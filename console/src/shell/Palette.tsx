/** Go anywhere by a few letters: Ctrl K. */
import { useMantineColorScheme } from "@mantine/core";
import { Spotlight, type SpotlightActionGroupData, useSpotlight } from "@mantine/spotlight";
import { IconAnchor, IconMoon, IconSearch, IconShip, IconSun } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMe, useProject, useProjects } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { useOrgOfAddress } from "@/shell/Navigation";
import { paletteStore } from "@/shell/palette";
import { placesFor } from "@/shell/places";

export default function Palette() {
  const me = useMe();
  const project = useProject();
  const org = useOrgOfAddress();
  const { projects } = useProjects();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const { opened } = useSpotlight(paletteStore);
  const instances = usePages("/v1/instances", {}, { limit: 200 }, { enabled: opened });
  const go = (to: string) => () => void navigate({ to });
  const groups: SpotlightActionGroupData[] = placesFor(me, project, org).map((group) => ({
    group: group.title,
    actions: group.places.map((place) => ({
      id: place.to,
      label: place.label,
      leftSection: <place.icon size={18} stroke={1.6} aria-hidden />,
      onClick: place.outside ? () => window.open(place.to, "_blank") : go(place.to),
    })),
  }));
  groups.unshift({
    group: "Instances",
    actions: instances.items.flatMap((instance) => {
      const home = projects.find((each) => each.id === instance.project_id);
      if (!home) return [];
      return {
        id: instance.id,
        label: instance.name,
        description: `${home.org.name} / ${home.name}`,
        leftSection: <IconAnchor size={18} stroke={1.6} aria-hidden />,
        onClick: go(`/projects/${home.org.slug}/${home.slug}/instances/${instance.id}`),
      };
    }),
  });
  groups.push({
    group: "Other projects",
    actions: projects
      .filter((each) => each.id !== project?.id)
      .map((each) => ({
        id: each.id,
        label: each.name,
        description: each.org.name,
        leftSection: <IconShip size={18} stroke={1.6} aria-hidden />,
        onClick: go(`/projects/${each.org.slug}/${each.slug}`),
      })),
  });
  groups.push({
    group: "Colours",
    actions: [
      {
        id: "light",
        label: "Light",
        leftSection: <IconSun size={18} aria-hidden />,
        onClick: () => setColorScheme("light"),
      },
      {
        id: "dark",
        label: "Dark",
        leftSection: <IconMoon size={18} aria-hidden />,
        onClick: () => setColorScheme("dark"),
      },
    ],
  });
  return (
    <Spotlight
      store={paletteStore}
      actions={groups.filter((group) => group.actions.length > 0)}
      shortcut={null}
      nothingFound="Nothing is called that."
      highlightQuery
      scrollable
      maxHeight={420}
      limit={30}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: "Go to, or do",
        "aria-label": "Go to, or do",
      }}
    />
  );
}
