/** The parts of a thing as links: each is a page of its own. */
import "@/components/TabLinks.css";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

export interface TabLink {
  label: string;
  to: string;
  /** Only the page itself, not those below it. */
  exact?: boolean;
}

export function TabLinks({ label, links }: { label: string; links: TabLink[] }) {
  const { pathname } = useLocation();
  const here = pathname.replace(/\/$/, "");
  const chosen = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the chosen one comes into sight
  useEffect(() => {
    // Newer browsers answer with a promise, which is no clean-up.
    void chosen.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  return (
    <nav aria-label={label} className="tabs">
      {links.map(({ label, to, exact }) => {
        const active = here === to || (!exact && here.startsWith(`${to}/`));
        return (
          <Link
            key={to}
            to={to}
            ref={active ? chosen : undefined}
            activeOptions={{ exact: exact ?? false, includeSearch: false }}
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
