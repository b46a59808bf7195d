/** A button that says why it cannot be pressed. */
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { May } from "@/lib/can";

export function Verb({
  may,
  onClick,
  children,
  ...rest
}: { may: May; onClick: () => void; "aria-label"?: string } & Omit<ButtonProps, "onClick">) {
  if (may.allowed)
    return (
      <Button onClick={onClick} {...rest}>
        {children}
      </Button>
    );
  // It stays in reach of the keyboard, so that the reason is too.
  return (
    <Tooltip label={may.why}>
      <Button data-disabled aria-disabled onClick={(event) => event.preventDefault()} {...rest}>
        {children}
      </Button>
    </Tooltip>
  );
}
