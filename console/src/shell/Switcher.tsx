/** From one project to another. */
import { Combobox, Group, Text, UnstyledButton, useCombobox, VisuallyHidden } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useProject, useProjects } from "@/lib/me";
import { useOrgOfAddress } from "@/shell/Navigation";

export function Switcher() {
  const { projects } = useProjects();
  const project = useProject();
  const org = useOrgOfAddress();
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const combobox = useCombobox({
    onDropdownClose: () => setWords(""),
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const shown = projects.filter((each) =>
    `${each.org.name} ${each.name} ${each.slug}`.toLowerCase().includes(words.toLowerCase()),
  );
  const orgs = [...new Set(shown.map((each) => each.org.name))];
  if (projects.length === 0 && !org) return null;
  return (
    <Combobox
      store={combobox}
      width={300}
      position="bottom-start"
      onOptionSubmit={(id) => {
        const chosen = projects.find((each) => each.id === id);
        combobox.closeDropdown();
        if (chosen)
          void navigate({
            to: "/projects/$org/$project",
            params: { org: chosen.org.slug, project: chosen.slug },
          });
      }}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton
          className="surface"
          px="sm"
          h={38}
          onClick={() => combobox.toggleDropdown()}
          style={{ minWidth: 0 }}
        >
          <VisuallyHidden>Choose a project:</VisuallyHidden>
          <Group gap={8} wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text size="xs" c="dimmed" lh={1.15} truncate>
                {project?.org.name ?? org?.name ?? "Project"}
              </Text>
              <Text size="sm" fw={600} lh={1.15} truncate>
                {project?.name ?? (org ? "All projects" : "Choose one")}
              </Text>
            </div>
            <IconChevronDown size={15} aria-hidden />
          </Group>
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        {projects.length > 6 && (
          <Combobox.Search
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            placeholder="Find a project"
            aria-label="Find a project"
          />
        )}
        <Combobox.Options mah={360} style={{ overflowY: "auto" }}>
          {orgs.map((name) => (
            <Combobox.Group label={name} key={name}>
              {shown
                .filter((each) => each.org.name === name)
                .map((each) => (
                  <Combobox.Option value={each.id} key={each.id} active={each.id === project?.id}>
                    {each.name}
                  </Combobox.Option>
                ))}
            </Combobox.Group>
          ))}
          {shown.length === 0 && <Combobox.Empty>No project is called that.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
