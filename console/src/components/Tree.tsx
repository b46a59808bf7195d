/** Facts of any shape that somebody else wrote: names, values, and what lies below them. */
import "@/components/Tree.css";
import { Box, Text } from "@mantine/core";
import { sentence } from "@/lib/format";

export function Tree({ of }: { of: Record<string, unknown> }) {
  return (
    <Box component="dl" m={0} className="tree">
      {Object.entries(of).map(([name, value]) => (
        <Box key={name} className="tree-row">
          <Text component="dt" size="sm" c="dimmed">
            {sentence(name)}
          </Text>
          <Box component="dd" m={0} fz="sm" style={{ overflowWrap: "anywhere" }}>
            <Value of={value} />
          </Box>
        </Box>
      ))}
    </Box>
  );
}

function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined || of === "") return <Dim>–</Dim>;
  if (typeof of === "boolean") return of ? "Yes" : "No";
  if (Array.isArray(of)) {
    if (of.length === 0) return <Dim>None</Dim>;
    if (of.every((each) => typeof each !== "object")) return of.join(", ");
    return <Tree of={Object.fromEntries(of.map((each, index) => [String(index + 1), each]))} />;
  }
  if (typeof of === "object") return <Tree of={of as Record<string, unknown>} />;
  return String(of);
}

function Dim({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  );
}
