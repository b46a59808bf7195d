/** Links that look like words, and links that look like buttons. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
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

export function ToButton({ to, search, ...rest }: Where & ButtonProps) {
  return (
    <Button
      renderRoot={(props) => <Link to={to} search={search as never} {...props} />}
      {...rest}
    />
  );
}
