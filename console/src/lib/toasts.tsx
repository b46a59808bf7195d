/** Short words at the edge of the screen. A refusal leads to its triage. */
import { notifications } from "@mantine/notifications";
import { WhyRefused } from "@/components/WhyRefused";
import type { Refusal } from "@/lib/api";

const CLOSE = { "aria-label": "Close" };

export function say(words: string): void {
  notifications.show({ message: words, color: "teal", autoClose: 5_000, closeButtonProps: CLOSE });
}

export function sayRefusal(refusal: Refusal): void {
  const id = `refusal ${refusal.correlation ?? refusal.title}`;
  notifications.show({
    id,
    title: refusal.title,
    color: "red",
    autoClose: 15_000,
    closeButtonProps: CLOSE,
    role: "alert",
    message: <WhyRefused refusal={refusal} onLeave={() => notifications.hide(id)} />,
  });
}
