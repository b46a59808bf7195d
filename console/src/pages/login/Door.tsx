/** The frame of the pages before the sign-in: a card in the middle, and nothing else. */
import { Box, Center, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

export function Door({
  title,
  lead,
  children,
  foot,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  foot?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Moorage`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" px="md" py="xl">
      <Stack gap="lg" w="100%" maw={400}>
        <Group gap={10} justify="center">
          <img src="/icon.svg" width={34} height={34} alt="" />
          <Text fw={700} fz={20}>
            Moorage
          </Text>
        </Group>
        <Box className="surface" p={{ base: "lg", xs: 28 }}>
          <Stack gap="lg">
            <div>
              <Title order={1} fz={20}>
                {title}
              </Title>
              {lead && (
                <Text size="sm" c="dimmed" mt={4}>
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Box>
        {foot && (
          <Text size="sm" c="dimmed" ta="center" component="div">
            {foot}
          </Text>
        )}
      </Stack>
    </Center>
  );
}
