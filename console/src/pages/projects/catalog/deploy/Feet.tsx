/** The way back and the way on, under each step. */
import { Button, Group } from "@mantine/core";

export function Feet({ back, next }: { back?: () => void; next: string }) {
  return (
    <Group justify="space-between" mt="md">
      {back ? (
        <Button variant="default" onClick={back}>
          Back
        </Button>
      ) : (
        <span />
      )}
      <Button type="submit">{next}</Button>
    </Group>
  );
}
