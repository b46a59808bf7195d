/** Links that look like words, and links that look like buttons. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Verb } from "@/components/Verb";
import { type May, YES } from "@/lib/can";
import type { Search } from "@/lib/search";

interface Where {
  to: string;
  search?: Search;
  children: ReactNode;
  "aria-label"?: string;
}

export function To({ to, search, ...rest }: Where & AnchorProps) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link to={to} search={search as never} {...props} />}
      {...rest}
    />
  );
}

/** Where somebody may not go on, it says why. */
export function ToButton({ to, search, may = YES, ...rest }: Where & ButtonProps & { may?: May }) {
  if (!may.allowed) return <Verb may={may} onClick={() => undefined} {...rest} />;
  return (
    <Button
      renderRoot={(props) => <Link to={to} search={search as never} {...props} />}
      {...rest}
    />
  );
}
