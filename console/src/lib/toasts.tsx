/** Short words at the edge of the screen. A refusal always leads to its triage. */
import { Anchor, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Refusal } from "@/lib/api";

const CLOSE = { "aria-label": "Close" };

export function say(words: string): void {
  notifications.show({ message: words, color: "teal", autoClose: 5_000, closeButtonProps: CLOSE });
}

export function sayRefusal(refusal: Refusal): void {
  notifications.show({
    title: refusal.title,
    color: "red",
    autoClose: 15_000,
    closeButtonProps: CLOSE,
    message: (
      <>
        <Text size="sm">{refusal.message}</Text>
        {refusal.faults.map((fault) => (
          <Text size="sm" key={fault.location}>
            {fault.location}: {fault.message}
          </Text>
        ))}
        {refusal.correlation && (
          <Anchor size="sm" href={`/triage/${refusal.correlation}`}>
            What happened?
          </Anchor>
        )}
      </>
    ),
  });
}
