/** Fields that several of the members' dialogs share. */
import { Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import type { Schemas } from "@/lib/api";

type DrainPolicy = NonNullable<Schemas["MembersDrain"]["policy"]>;

export interface Emptying {
  policy: DrainPolicy;
  /** Minutes, for `deadline`. */
  minutes: number;
}

export const PATIENT: Emptying = { policy: "wait", minutes: 60 };

const POLICIES: [value: DrainPolicy, label: string, words: string][] = [
  [
    "wait",
    "Wait",
    "It takes nothing new; what runs there ends by itself, however long that takes.",
  ],
  ["deadline", "Wait, but not for ever", "What has not ended by then is ended."],
  ["force", "End it now", "What runs there is ended at once and is lost."],
];

/** What becomes of what runs on a member. */
export function EmptyingField({
  value,
  onChange,
}: {
  value: Emptying;
  onChange: (value: Emptying) => void;
}) {
  return (
    <Radio.Group
      label="What runs there"
      value={value.policy}
      onChange={(policy) => onChange({ ...value, policy: policy as DrainPolicy })}
    >
      <Stack gap="xs" mt={6}>
        {POLICIES.map(([policy, label, words]) => (
          <Radio key={policy} value={policy} label={label} description={words} />
        ))}
      </Stack>
      {value.policy === "deadline" && (
        <Group gap="xs" mt="xs" ml={28}>
          <NumberInput
            aria-label="Minutes to wait"
            value={value.minutes}
            onChange={(minutes) => onChange({ ...value, minutes: Number(minutes) || 1 })}
            min={1}
            max={10_080}
            w={100}
            size="xs"
          />
          <Text size="sm">minutes</Text>
        </Group>
      )}
    </Radio.Group>
  );
}

/** As the platform is told. */
export function told({ policy, minutes }: Emptying) {
  return { policy, deadline: policy === "deadline" ? minutes * 60 : null };
}
