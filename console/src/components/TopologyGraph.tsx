/** The heavy half of `Topology`: fetched when somebody looks at it. */
import "@xyflow/react/dist/base.css";
import "@/components/TopologyGraph.css";
import { Text, Tooltip, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconAnchor, IconBox, IconBoxMultiple, IconServer2, IconStack2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import { type CSSProperties, useEffect, useMemo, useRef, useState } from "react";
import type { TopologyProps } from "@/components/Topology";
import { sentence } from "@/lib/format";
import { COLOURS, tone } from "@/lib/status";
import { type Place, POINT, type Point, placesOf, type Topology } from "@/lib/topology";

type Card = Node<{ point: Point; members: string }, "point">;

const ICONS = {
  instance: IconAnchor,
  component: IconStack2,
  member: IconBox,
  group: IconBoxMultiple,
  host: IconServer2,
};
const TYPES = { point: PointCard };
const TALLEST = 560;
const FIT = { padding: "8px", maxZoom: 1 } as const;

export default function TopologyGraph({ of, members }: TopologyProps) {
  const scheme = useComputedColorScheme();
  const places = usePlaces(of);
  const nodes = useMemo<Card[]>(
    () =>
      of.points.map((point) => ({
        id: point.id,
        type: "point",
        position: places.get(point.id) ?? { x: 0, y: 0 },
        width: POINT.width,
        height: POINT.height,
        data: { point, members },
      })),
    [of, places, members],
  );
  const edges = useMemo<Edge[]>(
    () => of.lines.map(([source, target]) => ({ id: `${source}>${target}`, source, target })),
    [of],
  );
  const tall = Math.max(0, ...[...places.values()].map(({ y }) => y)) + POINT.height;
  const { ref, width } = useElementSize();
  const [flow, setFlow] = useState<ReactFlowInstance<Card> | null>(null);
  useEffect(() => {
    // What is drawn has changed its shape, or its frame has: all of it is shown again.
    if (flow && width > 0 && places.size > 0) void flow.fitView(FIT);
  }, [flow, width, places]);
  return (
    <figure
      ref={ref}
      aria-label="Components, members and machines"
      className="topology"
      style={{ height: Math.min(TALLEST, tall + 24) }}
    >
      <ReactFlow
        onInit={setFlow}
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        colorMode={scheme}
        fitView
        fitViewOptions={FIT}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
      >
        {tall > TALLEST && <Controls showInteractive={false} />}
      </ReactFlow>
    </figure>
  );
}

/** The same places as long as the same things are drawn. */
function usePlaces(of: Topology): Map<string, Place> {
  const kept = useRef<{ shape: string; places: Map<string, Place> } | null>(null);
  const shape = of.lines.join("\n");
  if (kept.current?.shape !== shape) kept.current = { shape, places: placesOf(of) };
  return kept.current.places;
}

function PointCard({ data: { point, members } }: NodeProps<Card>) {
  const Shape = ICONS[point.kind];
  const colour = point.word ? COLOURS[tone(point.word)] : null;
  const said = point.kind === "component" && colour === COLOURS.good ? null : point.word;
  const line = point.kind === "member" ? null : point.line;
  const card = (
    <Link
      to={members}
      search={point.leads as never}
      className="point"
      style={
        colour ? ({ "--point": `var(--mantine-color-${colour}-filled)` } as CSSProperties) : {}
      }
      draggable={false}
    >
      <Shape size={18} stroke={1.6} aria-hidden className="point-icon" />
      <span className="point-words">
        <Text span size="sm" fw={600} truncate lh={1.25} display="block">
          {point.title}
        </Text>
        <Text span size="xs" c="dimmed" truncate lh={1.3} display="block">
          {said && (
            <Text span inherit fw={600} c={`var(--mantine-color-${colour}-light-color)`}>
              {sentence(said)}
            </Text>
          )}
          {said && line && " · "}
          {line}
        </Text>
      </span>
    </Link>
  );
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {point.why ? <Tooltip label={point.why}>{card}</Tooltip> : card}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
