/** Where a sign-in leads, and what kept somebody out. Pure. */

const ELSEWHERE = /^\/[/\\]|[\\\p{Cc}]/u;

/** A path of this site and nothing else: no address of another place is followed after a sign-in. */
export function ownPath(to: string | undefined): string {
  return to?.startsWith("/") && !ELSEWHERE.test(to) && !to.startsWith("/login?") ? to : "/";
}

/** What the platform sends a browser back with, when a sign-in elsewhere came to nothing. */
const PROBLEMS: Record<string, string> = {
  login_not_pending:
    "This sign-in was begun elsewhere, or too long ago. Begin again, in this browser.",
  provider_refused: "The sign-in provider did not let you in.",
  id_token_refused: "What the sign-in provider says about you does not prove who you are.",
  no_verified_email: "The sign-in provider vouches for no e-mail address of yours.",
  domain_not_allowed: "The sign-in provider does not speak for e-mail addresses like yours.",
  link_needs_admin:
    "An account with your e-mail address exists already. A platform admin can link it to this way of signing in.",
  linked_to_another:
    "The account belongs to another identity of this sign-in provider. A platform admin can help.",
  account_disabled: "This account is disabled. A platform admin can enable it.",
  provider_unreachable: "The sign-in provider does not answer. Try again in a moment.",
  provider_misconfigured:
    "The sign-in provider and this platform do not fit together. A platform admin has to look at its settings.",
};

export function problemWords(code: string): string {
  return PROBLEMS[code] ?? "The sign-in came to nothing. Try again, or use another way.";
}

/** A code as the platform writes it, however it was typed: "abcd efgh" → "ABCD-EFGH". */
export function tidyCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}
