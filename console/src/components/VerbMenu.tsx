/** What can be done with a row. An entry that cannot be pressed says why, where one reads it. */
import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import type { May } from "@/lib/can";

export interface MenuVerb {
  label: string;
  may: May;
  onClick: () => void;
  danger?: boolean;
}

export function VerbMenu({ of, verbs }: { of: string; verbs: MenuVerb[] }) {
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`What can be done with ${of}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {verbs.map(({ label, may, onClick, danger }) => (
          <Menu.Item
            key={label}
            color={danger && may.allowed ? "red" : undefined}
            aria-disabled={!may.allowed}
            closeMenuOnClick={may.allowed}
            onClick={may.allowed ? onClick : undefined}
            style={may.allowed ? undefined : { cursor: "not-allowed" }}
          >
            <Text span inherit c={may.allowed ? undefined : "dimmed"}>
              {label}
            </Text>
            {!may.allowed && (
              <Text size="xs" c="dimmed" style={{ whiteSpace: "normal" }}>
                {may.why}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
