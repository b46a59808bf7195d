/**
 * A table: sorted and filtered by what stands in the address, drawn only where it is seen.
 *
 * All rows may be here and few in the document: some thousands of rows scroll as smoothly as ten.
 */
import {
  Box,
  Button,
  CloseButton,
  Group,
  Table,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useDeferredValue, useMemo, useRef } from "react";
import { plural } from "@/lib/format";
import { type Column, compared, filtered, textsOf } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";

const ROW_HEIGHT = 51;
const MOST_DRAWN = 60;
const FEW = 8;

interface More {
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?: () => void;
}

export interface RowsProps<T> extends More {
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  /** What a row is, for the count and the filter: "member". */
  noun: string;
  /** Two tables on a page keep their filters apart by it. */
  id?: string;
  /** What stands beside the filter. */
  tools?: ReactNode;
  height?: number;
}

export function Rows<T>({
  rows,
  columns,
  rowKey,
  noun,
  id = "",
  tools,
  height = 620,
  ...more
}: RowsProps<T>) {
  const [words, setWords] = useSearchParam(`${id}q`);
  const [order, setOrder] = useSearchParam(`${id}sort`);
  const wanted = useDeferredValue(words);
  const isFiltered = wanted !== "";
  const texts = useMemo(
    () => (isFiltered ? textsOf(rows, columns) : []),
    [isFiltered, rows, columns],
  );
  const found = useMemo(() => filtered(rows, texts, wanted), [rows, texts, wanted]);
  const shown = useMemo(() => compared(found, columns, order), [found, columns, order]);
  const filters = rows.length > FEW || words !== "";
  return (
    <Box>
      {(filters || tools) && (
        <Group px="md" pb="sm" pt={4} gap="sm" justify="space-between">
          {filters ? <Filter noun={noun} words={words} onChange={setWords} /> : <span />}
          {tools}
        </Group>
      )}
      <Drawn
        rows={shown}
        columns={columns}
        rowKey={rowKey}
        noun={noun}
        height={height}
        order={order}
        onOrder={setOrder}
      />
      {shown.length === 0 && (
        <Text c="dimmed" p="md" ta="center">
          No {noun} has “{words}” in it.
        </Text>
      )}
      <Foot noun={noun} shown={shown.length} there={rows.length} {...more} />
    </Box>
  );
}

function Filter({
  noun,
  words,
  onChange,
}: {
  noun: string;
  words: string;
  onChange: (words: string) => void;
}) {
  return (
    <TextInput
      aria-label={`Filter ${noun}s`}
      placeholder={`Filter ${noun}s`}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        words && (
          <CloseButton size="sm" aria-label="Clear the filter" onClick={() => onChange("")} />
        )
      }
      value={words}
      onChange={(event) => onChange(event.currentTarget.value)}
      size="sm"
      w={{ base: "100%", xs: 280 }}
    />
  );
}

function Drawn<T>({
  rows,
  columns,
  rowKey,
  noun,
  height,
  order,
  onOrder,
}: Pick<RowsProps<T>, "rows" | "columns" | "rowKey" | "noun" | "height"> & {
  order: string;
  onOrder: (order: string) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const many = rows.length > MOST_DRAWN;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    enabled: many,
  });
  const drawn = virtual.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  const below = many ? virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0) : 0;
  const visible = many ? drawn.map((item) => rows[item.index] as T) : rows;
  return (
    <Box
      ref={box}
      style={{ overflow: "auto", position: "relative", maxHeight: many ? height : undefined }}
      tabIndex={0}
      role="region"
      aria-label={`Table of ${noun}s`}
    >
      <Table className="rows" stickyHeader={many} aria-rowcount={rows.length + 1}>
        <Table.Thead style={{ background: "var(--surface)" }}>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.id}
                w={column.width}
                ta={column.align}
                className={column.stick ? "stick" : undefined}
                aria-sort={sorting(order, column.id)}
              >
                <Heading column={column} order={order} onOrder={onOrder} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {above > 0 && <tr style={{ height: above }} aria-hidden />}
          {visible.map((row) => (
            <Row
              key={rowKey(row)}
              row={row}
              columns={columns as Column<unknown>[]}
              height={many ? ROW_HEIGHT : undefined}
            />
          ))}
          {below > 0 && <tr style={{ height: below }} aria-hidden />}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

/**
 * Drawn anew only where the row or the columns are: the rest of the table moves past it. Some dozens come and go
 * with every turn of the wheel, so they are made of plain elements.
 */
const Row = memo(function Row({
  row,
  columns,
  height,
}: {
  row: unknown;
  columns: Column<unknown>[];
  height: number | undefined;
}) {
  return (
    <tr style={{ height }}>
      {columns.map((column) => (
        <td key={column.id} className={looks(column)}>
          {column.show(row)}
        </td>
      ))}
    </tr>
  );
});

function Heading<T>({
  column,
  order,
  onOrder,
}: {
  column: Column<T>;
  order: string;
  onOrder: (order: string) => void;
}) {
  if (column.head) return column.head;
  if (!column.title) return <VisuallyHidden>Actions</VisuallyHidden>;
  if (!column.value) return column.title;
  return (
    <UnstyledButton
      fz="inherit"
      fw="inherit"
      c="inherit"
      onClick={() => onOrder(next(order, column.id))}
    >
      <Group gap={4} wrap="nowrap">
        {column.title}
        {order === column.id && <IconArrowUp size={12} aria-hidden />}
        {order === `-${column.id}` && <IconArrowDown size={12} aria-hidden />}
      </Group>
    </UnstyledButton>
  );
}

function Foot({
  noun,
  shown,
  there,
  hasMore = false,
  isLoadingMore,
  loadMore,
}: More & { noun: string; shown: number; there: number }) {
  if (!hasMore && there <= FEW) return null;
  return (
    <Group justify="space-between" px="md" py="xs">
      <Text size="xs" c="dimmed">
        {shown < there ? `${shown} of ` : ""}
        {plural(there, noun)}
        {hasMore ? " so far" : ""}
      </Text>
      {hasMore && (
        <Button size="xs" variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
    </Group>
  );
}

function looks<T>({ align, stick }: Column<T>): string | undefined {
  const classes = [align && "numbers", align === "right" && "right", stick && "stick"];
  return classes.filter(Boolean).join(" ") || undefined;
}

function next(order: string, id: string): string {
  if (order === id) return `-${id}`;
  return order === `-${id}` ? "" : id;
}

function sorting(order: string, id: string): "ascending" | "descending" | undefined {
  if (order === id) return "ascending";
  return order === `-${id}` ? "descending" : undefined;
}
