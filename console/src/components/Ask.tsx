/** A question before something is done, with room for the reason that the record will show. */
import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { WhyRefused } from "@/components/WhyRefused";
import type { Refusal } from "@/lib/api";

export function Ask({
  title,
  opened,
  onClose,
  onSubmit,
  verb,
  danger = false,
  reason = "none",
  confirm,
  busy = false,
  blocked = false,
  refusal,
  size = "md",
  children,
}: {
  title: string;
  opened: boolean;
  onClose: () => void;
  onSubmit: (reason: string) => void;
  /** What the button says. */
  verb: string;
  danger?: boolean;
  reason?: "none" | "optional" | "required";
  /** Must be typed before it goes on, where there is no way back. */
  confirm?: string;
  busy?: boolean;
  /** It cannot go on; what stands in the dialog says why. */
  blocked?: boolean;
  refusal?: Refusal | null;
  size?: string;
  children?: ReactNode;
}) {
  const [why, setWhy] = useState("");
  const [typed, setTyped] = useState("");
  const ready =
    !blocked &&
    (confirm === undefined || typed === confirm) &&
    (reason !== "required" || why.trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !busy) onSubmit(why.trim());
  };
  return (
    <Modal opened={opened} onClose={onClose} title={<Text fw={650}>{title}</Text>} size={size}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {reason !== "none" && (
            <Textarea
              label="Reason"
              description="Stands in the record, for whoever asks later."
              required={reason === "required"}
              value={why}
              onChange={(event) => setWhy(event.currentTarget.value)}
              autosize
              minRows={2}
              maxLength={500}
            />
          )}
          {confirm !== undefined && (
            <TextInput
              label={
                <>
                  Type <b>{confirm}</b> to go on
                </>
              }
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {refusal && (
            <Alert
              // A long dialog may have been sent from where its end cannot be seen.
              ref={(shown) => shown?.scrollIntoView({ block: "nearest" })}
              color="red"
              icon={<IconAlertTriangle aria-hidden />}
              title={refusal.title}
            >
              <WhyRefused refusal={refusal} />
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            <Button
              type="submit"
              color={danger ? "red" : undefined}
              loading={busy}
              disabled={!ready}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
