import { expect, test } from "vitest";
import { agentWords, isOver } from "@/pages/me/tokens";

test("a browser is called by its name", () => {
  expect(agentWords("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe(
    "Firefox on Linux",
  );
  expect(
    agentWords("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0 Safari/537.36"),
  ).toBe("Chrome on macOS");
});

test("what is no browser keeps the name that it gave", () => {
  expect(agentWords("moor/1.2 on login1")).toBe("moor/1.2 on login1");
  expect(agentWords(" ")).toBe("Something that gave no name");
});

test("a token is over when it was revoked or its time is", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const later = "2026-03-02T12:00:00Z";
  expect(isOver({ revoked_at: null, expires_at: later }, now)).toBe(false);
  expect(isOver({ revoked_at: "2026-03-01T11:00:00Z", expires_at: later }, now)).toBe(true);
  expect(isOver({ revoked_at: null, expires_at: "2026-03-01T12:00:00Z" }, now)).toBe(true);
  expect(isOver({ revoked_at: null, expires_at: null }, now)).toBe(false);
});
