import { expect, test } from "vitest";
import { ownPath, problemWords, tidyCode } from "@/pages/login/ways";

test("a sign-in leads back to the page that asked for it", () => {
  expect(ownPath("/projects/acme/ml?q=blue")).toBe("/projects/acme/ml?q=blue");
});

test("a sign-in leads to no other site", () => {
  for (const to of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x"])
    expect(ownPath(to)).toBe("/");
});

test("a sign-in that asks for nothing leads home", () => {
  expect(ownPath(undefined)).toBe("/");
  expect(ownPath("/login?to=/x")).toBe("/");
});

test("a problem that nobody put in words still says what to do", () => {
  expect(problemWords("brand_new")).toContain("Try again");
  expect(problemWords("account_disabled")).toContain("platform admin");
});

test("a code may be typed in any way that people type codes", () => {
  expect(tidyCode("abcd efgh")).toBe("ABCD-EFGH");
  expect(tidyCode(" ABCD-EFGH\n")).toBe("ABCD-EFGH");
  expect(tidyCode("abc")).toBe("ABC");
});
