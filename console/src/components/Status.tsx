/** A state in a word, its colour and a mark that is told apart without the colour. */
import { Badge, Tooltip } from "@mantine/core";
import {
  type Icon,
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
  IconLoader,
} from "@tabler/icons-react";
import { sentence } from "@/lib/format";
import { COLOURS, type Tone, tone } from "@/lib/status";

const MARKS: Record<Tone, Icon> = {
  good: IconCircleCheckFilled,
  busy: IconLoader,
  warn: IconAlertTriangleFilled,
  bad: IconCircleXFilled,
  quiet: IconCircleDashed,
};

export function Status({
  word,
  why,
  label,
}: {
  word: string;
  why?: string | null;
  label?: string;
}) {
  const said = tone(word);
  const Mark = MARKS[said];
  const badge = (
    <Badge
      color={COLOURS[said]}
      leftSection={<Mark size={13} aria-hidden />}
      tabIndex={why ? 0 : undefined}
      style={{ flexShrink: 0, minWidth: "max-content" }}
    >
      {label ?? sentence(word)}
    </Badge>
  );
  return why ? <Tooltip label={why}>{badge}</Tooltip> : badge;
}
