import { describe, expect, it } from "vitest";
import { YES } from "@/lib/can";
import { type Change, laterThan, mayChange } from "@/lib/changes";
import type { Instance } from "@/lib/members";

function why(kind: Change, status: Instance["status"]): string | null {
  return mayChange(kind, { status, last_operation: null }, () => YES).why;
}

describe("what may be asked of an instance", () => {
  it("is everything but a start while it runs", () => {
    expect(why("instance.configure", "running")).toBeNull();
    expect(why("instance.restart", "running")).toBeNull();
    expect(why("instance.start", "running")).toBe("It is running, not stopped.");
  });

  it("is a start or its end while it is stopped", () => {
    expect(why("instance.start", "stopped")).toBeNull();
    expect(why("instance.decommission", "stopped")).toBeNull();
    expect(why("instance.configure", "stopped")).toBe("It is stopped. Start it first.");
  });

  it("is its end also while something is under way", () => {
    expect(why("instance.decommission", "upgrading")).toBeNull();
    expect(why("instance.upgrade", "upgrading")).toBe("It is upgrading now.");
  });

  it("is nothing once it is gone", () => {
    expect(why("instance.decommission", "deleted")).toBe("It has been decommissioned.");
  });
});

it("knows which version is the later one", () => {
  expect(laterThan("1.10.0", "1.9.0")).toBe(true);
  expect(laterThan("1.9.0", "1.9.0")).toBe(false);
  expect(laterThan("2.0.0", "2.0.0-rc.1")).toBe(true);
  expect(laterThan("2.0.0-rc.2", "2.0.0-rc.10")).toBe(false);
});
