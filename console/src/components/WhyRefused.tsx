/** What the platform said when it refused, and the way to all that is known about it. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Refusal } from "@/lib/api";

const WRAPS = { overflowWrap: "anywhere" } as const;

interface Props {
  refusal: Refusal;
  /** Done when somebody follows the link. */
  onLeave?: () => void;
}

export function WhyRefused({ refusal, onLeave }: Props) {
  return (
    <>
      <Text size="sm" style={WRAPS}>
        {refusal.message}
      </Text>
      {refusal.faults.map((fault) => (
        <Text size="sm" key={`${fault.location} ${fault.message}`} style={WRAPS}>
          {fault.location}: {fault.message}
        </Text>
      ))}
      <ToTriage refusal={refusal} onLeave={onLeave} />
    </>
  );
}

/** Where nothing is kept of a refusal, its id is still what those who run the platform find it by. */
export function ToTriage({ refusal, onLeave }: Props) {
  const id = refusal.correlation;
  if (!id) return null;
  if (!refusal.isKept)
    return refusal.status >= 500 ? (
      <Text size="xs" c="dimmed">
        Whoever runs the platform finds it by <code>{id}</code>
      </Text>
    ) : null;
  return (
    <Anchor
      size="sm"
      onClick={onLeave}
      renderRoot={(props) => (
        <Link to="/triage/$correlation" params={{ correlation: id }} {...props} />
      )}
    >
      What happened? <code>{id}</code>
    </Anchor>
  );
}
