/** A moment as people say it; the exact one on a closer look. */
import { Text, type TextProps, Tooltip } from "@mantine/core";
import { ago, between, moment } from "@/lib/format";
import { useNow } from "@/lib/now";

export function Ago({ at, ...rest }: { at: string | null | undefined } & TextProps) {
  const now = useNow();
  if (!at)
    return (
      <Text span inherit c="dimmed" {...rest}>
        –
      </Text>
    );
  return (
    <Tooltip label={moment(at)}>
      <Text component="time" dateTime={at} inherit style={{ whiteSpace: "nowrap" }} {...rest}>
        {ago(at, now)}
      </Text>
    </Tooltip>
  );
}

/** How long something took, or has been going on. */
export function Elapsed({ from, until }: { from: string; until: string | null | undefined }) {
  const now = useNow();
  return <span className="numbers">{between(from, until, now)}</span>;
}
