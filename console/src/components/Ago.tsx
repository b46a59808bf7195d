/** A moment as people say it; the exact one on a closer look. */
import { Text, type TextProps } from "@mantine/core";
import { ago, between, moment } from "@/lib/format";
import { useAsOfNow } from "@/lib/now";

export function Ago({ at, ...rest }: { at: string | null | undefined } & TextProps) {
  const words = useAsOfNow((now) => (at ? ago(at, now) : "–"));
  if (!at)
    return (
      <Text span inherit c="dimmed" {...rest}>
        {words}
      </Text>
    );
  return (
    <Text
      component="time"
      dateTime={at}
      title={moment(at)}
      inherit
      style={{ whiteSpace: "nowrap" }}
      {...rest}
    >
      {words}
    </Text>
  );
}

/** How long something took, or has been going on. */
export function Elapsed({ from, until }: { from: string; until: string | null | undefined }) {
  return <span className="numbers">{useAsOfNow((now) => between(from, until, now))}</span>;
}
