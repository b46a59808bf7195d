/** The person's own corner: colours, tokens, the way out. */
import { ActionIcon, Menu, Text, useMantineColorScheme } from "@mantine/core";
import {
  IconDeviceDesktop,
  IconKey,
  IconLogout,
  IconMoon,
  IconSun,
  IconUserCircle,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAct } from "@/lib/act";
import { client } from "@/lib/api";
import { useMe } from "@/lib/me";

export function Account() {
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const leave = useAct(
    (session: string, headers) =>
      client.DELETE("/v1/sessions/{session}", { params: { path: { session } }, headers }),
    {
      onDone: () => {
        queries.clear();
        void navigate({ to: "/login" });
      },
    },
  );
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Your account, ${me.name}`}>
          <IconUserCircle size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {me.name}
          </Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<IconKey size={16} />}
          renderRoot={(props) => <Link to="/me" {...props} />}
        >
          Tokens and sessions
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconSun size={16} />} onClick={() => setColorScheme("light")}>
          Light
        </Menu.Item>
        <Menu.Item leftSection={<IconMoon size={16} />} onClick={() => setColorScheme("dark")}>
          Dark
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDeviceDesktop size={16} />}
          onClick={() => setColorScheme("auto")}
        >
          As the system
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => me.session_id && leave.mutate(me.session_id)}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
