/**
 * What can be done with a row. An entry that cannot be pressed says why, where one reads it.
 *
 * Rows come by the dozen while somebody scrolls, so a row has only the button until it is pressed.
 */
import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type Ref, useEffect, useState } from "react";
import type { May } from "@/lib/can";

export interface MenuVerb {
  label: string;
  may: May;
  onClick: () => void;
  danger?: boolean;
}

export function VerbMenu(props: { of: string; verbs: MenuVerb[] }) {
  const [wanted, setWanted] = useState(false);
  if (wanted) return <Whole {...props} />;
  return <Dots of={props.of} aria-haspopup="menu" onClick={() => setWanted(true)} />;
}

function Dots({
  of,
  ...rest
}: {
  of: string;
  "aria-haspopup"?: "menu";
  onClick?: () => void;
  ref?: Ref<HTMLButtonElement>;
}) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`What can be done with ${of}`} {...rest}>
      <IconDots size={18} />
    </ActionIcon>
  );
}

function Whole({ of, verbs }: { of: string; verbs: MenuVerb[] }) {
  const [opened, setOpened] = useState(false);
  // It opens after it has come, so that it knows where the keyboard was: there it goes when it closes.
  useEffect(() => setOpened(true), []);
  return (
    <Menu position="bottom-end" width={260} withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Dots of={of} ref={focus} />
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

/** It takes the place of the button that was pressed. */
function focus(button: HTMLButtonElement | null): void {
  button?.focus({ preventScroll: true });
}
