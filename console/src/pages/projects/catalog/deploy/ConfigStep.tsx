/** How the app is set up: a form that its version draws, with what it would choose itself filled in. */
import { Button, Collapse, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useMemo, useRef } from "react";
import { Section } from "@/components/Section";
import { SchemaForm } from "@/forms/SchemaForm";
import { plural } from "@/lib/format";
import { manifestOf } from "@/lib/manifest";
import { split, within } from "@/pages/projects/catalog/deploy/draft";
import { Feet } from "@/pages/projects/catalog/deploy/Feet";
import type { StepProps } from "@/pages/projects/catalog/deploy/props";

export function ConfigStep({ version, draft, onChange, go, faults }: StepProps) {
  const { config } = useMemo(() => manifestOf(version), [version]);
  const parts = useMemo(() => config && split(config.schema), [config]);
  const folded = Object.keys(parts?.more?.properties ?? {});
  const about = faults.filter((each) => each.location.startsWith("body.config"));
  const inMore = about.some((each) => folded.includes(each.location.split(".")[2] ?? ""));
  const [opened, { toggle }] = useDisclosure(inMore);
  const end = useRef<HTMLButtonElement>(null);
  const set = (value: unknown) =>
    onChange({ ...draft, config: { ...draft.config, ...(value as object) } });
  if (!parts)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go("review");
        }}
      >
        <Section>
          <Text c="dimmed">There is nothing to set: this version runs as it is.</Text>
        </Section>
        <Feet back={() => go("placement")} next="Next: review" />
      </form>
    );
  return (
    <Stack gap="md">
      <Section>
        <Text c="dimmed" size="sm" mb="md">
          Every field has what the app would choose itself. You can change it later, too.
        </Text>
        <SchemaForm
          id="config"
          schema={parts.first}
          value={parts.more ? within(draft.config, parts.first) : draft.config}
          onChange={set}
          onSubmit={() => go("review")}
          faults={about}
        >
          {parts.more && (
            <Button
              variant="subtle"
              size="compact-sm"
              px={0}
              mt="sm"
              onClick={toggle}
              aria-expanded={opened}
              leftSection={opened ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
            >
              {plural(folded.length, "more setting")}
            </Button>
          )}
          <button type="submit" ref={end} hidden />
        </SchemaForm>
        {parts.more && (
          <Collapse expanded={opened} mt="sm">
            <SchemaForm
              id="more"
              schema={parts.more}
              value={within(draft.config, parts.more)}
              onChange={set}
              faults={about}
            />
          </Collapse>
        )}
      </Section>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (end.current) end.current.click();
          else go("review");
        }}
      >
        <Feet back={() => go("placement")} next="Next: review" />
      </form>
    </Stack>
  );
}
