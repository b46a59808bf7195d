/** Names and values side by side. */
import { Box, Text } from "@mantine/core";
import type { ReactNode } from "react";

export function Facts({
  of,
  columns = 2,
}: {
  of: [label: string, value: ReactNode][];
  columns?: number;
}) {
  return (
    <Box
      component="dl"
      m={0}
      style={{
        display: "grid",
        gap: "14px 24px",
        gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${Math.floor(640 / columns)}px), 1fr))`,
      }}
    >
      {of.map(([label, value]) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed" fw={600}>
            {label}
          </Text>
          <Text component="dd" m={0} size="sm" style={{ overflowWrap: "anywhere" }}>
            {value === null || value === undefined || value === "" ? "–" : value}
          </Text>
        </div>
      ))}
    </Box>
  );
}
