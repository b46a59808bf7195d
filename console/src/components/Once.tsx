/** A secret in the only moment in which it can be seen. */
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Lines } from "@/components/Copy";

export function Once({
  title,
  secret,
  what,
  onClose,
  children,
}: {
  title: string;
  /** Nothing is shown without one. */
  secret: string | null | undefined;
  what: string;
  onClose: () => void;
  /** What to do with it. */
  children?: ReactNode;
}) {
  return (
    <Modal
      opened={Boolean(secret)}
      onClose={onClose}
      title={<Text fw={650}>{title}</Text>}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          Copy it now. It is not kept, and nobody can show it again.
        </Alert>
        <Lines text={secret ?? ""} what={what} />
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
