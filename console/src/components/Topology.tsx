/** What an instance is made of: as a drawing, and as a list that says the same. */
import "@/components/Topology.css";
import { Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Status } from "@/components/Status";
import { To } from "@/components/To";
import type { Point, Topology } from "@/lib/topology";

const Graph = lazy(() => import("@/components/TopologyGraph"));

export interface TopologyProps {
  of: Topology;
  /** Where the list of members is. */
  members: string;
}

export type Shape = "graph" | "list";

export function ShapeChoice({ shape, onChange }: { shape: Shape; onChange: (to: Shape) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="How to show it"
      value={shape}
      onChange={(value) => onChange(value as Shape)}
      data={[
        { value: "graph", label: "Graph" },
        { value: "list", label: "List" },
      ]}
    />
  );
}

export function TopologyOf({ shape, ...rest }: TopologyProps & { shape: Shape }) {
  if (shape === "list") return <TopologyList {...rest} />;
  return (
    <Suspense fallback={<Skeleton height={240} radius="md" />}>
      <Graph {...rest} />
    </Suspense>
  );
}

function TopologyList({ of, members }: TopologyProps) {
  const below = (id: string) =>
    of.points.filter((point) => of.lines.some(([from, to]) => from === id && to === point.id));
  return (
    <Stack gap="md">
      {of.points
        .filter(({ kind }) => kind === "component")
        .map((component) => (
          <div key={component.id}>
            <Entry point={component} members={members} strong />
            <ul className="branches">
              {below(component.id).map((part) => (
                <li key={part.id}>
                  <Entry
                    point={part}
                    members={members}
                    on={below(part.id).map(({ title, line }) => [title, line])}
                  />
                </li>
              ))}
            </ul>
          </div>
        ))}
    </Stack>
  );
}

function Entry({
  point,
  members,
  on = [],
  strong = false,
}: {
  point: Point;
  members: string;
  on?: [name: string, address: string][];
  strong?: boolean;
}) {
  const line = point.kind === "member" ? on.map(([name, at]) => `on ${name} ${at}`) : [point.line];
  return (
    <Group gap="2px 8px">
      <To to={members} search={point.leads} size="sm" fw={strong ? 650 : 550}>
        {point.title}
      </To>
      {point.word && <Status word={point.word} why={point.why} />}
      <Text size="sm" c="dimmed">
        {line.join(", ")}
      </Text>
    </Group>
  );
}
