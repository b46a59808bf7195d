/** What an operation had done on machines, with what they wrote. Asked for when somebody wants to see it. */
import { Button, Modal, Stack, Text } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Elapsed } from "@/components/Ago";
import { Lines } from "@/components/Copy";
import { Empty, Face, ListFace } from "@/components/Faces";
import { Facts } from "@/components/Facts";
import { Rows } from "@/components/Rows";
import { Section } from "@/components/Section";
import { Status } from "@/components/Status";
import { answer, ask, client, type Key } from "@/lib/api";
import { bytes } from "@/lib/format";
import type { Operation, Step } from "@/lib/operations";
import { usePages } from "@/lib/pages";
import type { Column } from "@/lib/rows";
import { useSearchParam } from "@/lib/search";
import { stepOf, type Task, taskState, taskWords } from "@/lib/tasks";

export function Tasks({ operation, steps }: { operation: Operation; steps: readonly Step[] }) {
  const [shown, setShown] = useSearchParam("tasks");
  return (
    <Section
      flush
      title="On the machines"
      lead="Every command and file that this operation sent to a machine, with what came back."
      actions={
        <Button variant="default" size="xs" onClick={() => setShown(shown ? "" : "1")}>
          {shown ? "Hide" : "Show"}
        </Button>
      }
    >
      {shown !== "" && <TaskTable operation={operation} steps={steps} />}
    </Section>
  );
}

function TaskTable({ operation, steps }: Parameters<typeof Tasks>[0]) {
  const tasks = usePages(
    "/v1/operations/{operation}/tasks",
    { operation: operation.id },
    { limit: 200 },
  );
  const [open, setOpen] = useSearchParam("task");
  const columns = useMemo<Column<Task>[]>(
    () => [
      {
        id: "what",
        title: "What",
        value: (row) => taskWords(row),
        show: (row) => (
          <>
            <Text size="sm">{taskWords(row)}</Text>
            {row.error_message && (
              <Text size="xs" c="red" lineClamp={2}>
                {row.error_message}
              </Text>
            )}
          </>
        ),
      },
      {
        id: "step",
        title: "For the step",
        value: (row) => stepOf(row, steps) ?? row.key,
        show: (row) => stepOf(row, steps) ?? row.key,
      },
      {
        id: "machine",
        title: "Machine",
        value: (row) => row.node_name,
        show: (row) => row.node_name ?? "–",
      },
      {
        id: "state",
        title: "State",
        value: (row) => row.status,
        show: (row) => <Status {...taskState(row.status)} />,
      },
      {
        id: "took",
        title: "Took",
        align: "right",
        show: (row) => <Elapsed from={row.sent_at ?? row.created_at} until={row.ended_at} />,
      },
      {
        id: "output",
        title: "Output",
        align: "right",
        value: (row) => row.stdout_bytes + row.stderr_bytes,
        show: (row) => (
          <Button size="compact-xs" variant="default" onClick={() => setOpen(row.id)}>
            {row.stdout_bytes + row.stderr_bytes > 0
              ? bytes(row.stdout_bytes + row.stderr_bytes)
              : "Details"}
          </Button>
        ),
      },
    ],
    [steps, setOpen],
  );
  return (
    <>
      <ListFace
        of={tasks}
        empty={
          <Empty icon={IconTerminal2} title="Nothing was done on a machine">
            Tasks stand here as soon as a step sends one.
          </Empty>
        }
      >
        {(items) => (
          <Rows
            rows={items}
            columns={columns}
            rowKey={({ id }) => id}
            noun="task"
            id="t"
            {...tasks}
          />
        )}
      </ListFace>
      {open && <TaskDialog id={open} steps={steps} onClose={() => setOpen("")} />}
    </>
  );
}

function TaskDialog({
  id,
  steps,
  onClose,
}: {
  id: string;
  steps: readonly Step[];
  onClose: () => void;
}) {
  const found = useQuery(ask("/v1/tasks/{task}", { task: id }));
  return (
    <Modal opened onClose={onClose} size="xl" title={<Text fw={650}>What was done</Text>}>
      <Face of={found}>
        {(task) => (
          <Stack>
            <Facts
              columns={4}
              of={[
                ["What", taskWords(task)],
                ["For the step", stepOf(task, steps)],
                ["Machine", task.node_name],
                ["As", task.run_as],
                ["State", <Status key="state" {...taskState(task.status)} />],
                [
                  "Took",
                  <Elapsed
                    key="took"
                    from={task.sent_at ?? task.created_at}
                    until={task.ended_at}
                  />,
                ],
              ]}
            />
            {task.error_message && (
              <Text size="sm" c="red">
                {task.error_message}
              </Text>
            )}
            <Output task={task} stream="stdout" title="What it wrote" />
            <Output task={task} stream="stderr" title="Errors and warnings that it wrote" />
            {task.stdout_bytes + task.stderr_bytes === 0 && (
              <Text size="sm" c="dimmed">
                It wrote nothing.
              </Text>
            )}
          </Stack>
        )}
      </Face>
    </Modal>
  );
}

function Output({
  task,
  stream,
  title,
}: {
  task: Task;
  stream: "stdout" | "stderr";
  title: string;
}) {
  const there = task[`${stream}_bytes`] > 0;
  const found = useQuery({
    queryKey: ["/v1/tasks/{task}/output", { task: task.id }, { stream }] as Key,
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/tasks/{task}/output", {
          params: { path: { task: task.id }, query: { stream } },
          parseAs: "text",
          signal,
        }),
      ),
    enabled: there,
  });
  if (!there) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Face of={found} rows={3}>
        {(text) => <Lines text={String(text)} what={title.toLowerCase()} maxHeight={360} />}
      </Face>
    </div>
  );
}
