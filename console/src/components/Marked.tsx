/** A sentence of an app's in which `code` stands between backticks. */
import { Code } from "@mantine/core";
import { Fragment } from "react";

export function Marked({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
    at % 2 ? <Code key={at}>{part}</Code> : <Fragment key={at}>{part}</Fragment>,
  );
}
