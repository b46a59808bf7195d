import { expect, test } from "vitest";
import { ago, bytes, duration, kindWords, money, sentence } from "@/lib/format";

const NOON = Date.parse("2026-03-01T12:00:00Z");

test("a duration names its two greatest units", () => {
  expect(duration(0.25)).toBe("250 ms");
  expect(duration(4.26)).toBe("4.3 s");
  expect(duration(192)).toBe("3 min 12 s");
  expect(duration(90_000)).toBe("1 d 1 h");
});

test("what cannot be a duration is a dash", () => {
  expect(duration(-1)).toBe("–");
  expect(duration(Number.NaN)).toBe("–");
});

test("a moment is said as people say it", () => {
  expect(ago("2026-03-01T11:59:55Z", NOON)).toBe("just now");
  expect(ago("2026-03-01T11:58:00Z", NOON)).toBe("2 minutes ago");
  expect(ago("2026-03-01T15:00:00Z", NOON)).toBe("in 3 hours");
});

test("small money keeps its digits", () => {
  expect(money(1_500_000, "EUR")).toBe("€1.50");
  expect(money(12_300, "EUR")).toBe("€0.0123");
});

test("bytes are said in the unit that fits", () => {
  expect(bytes(512)).toBe("512 B");
  expect(bytes(1_572_864)).toBe("1.5 MiB");
  expect(bytes(null)).toBe("–");
});

test("an action is named by its own word, a kind by ours", () => {
  expect(kindWords("instance.rollback")).toBe("Roll back");
  expect(kindWords("action", "greeter.say_hello")).toBe("Say hello");
  expect(sentence("release_failed")).toBe("Release failed");
});
