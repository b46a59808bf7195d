import { expect, test } from "vitest";
import { keeps, reachWords } from "@/pages/projects/machines/words";

test("a machine that something runs on is not given back", () => {
  expect(keeps({ status: "active", instance_id: "ins_1" })).toContain("runs on it");
  expect(keeps({ status: "active", instance_id: null })).toBeNull();
});

test("a release that failed can be asked for again, one that goes on cannot", () => {
  expect(keeps({ status: "release_failed", instance_id: null })).toBeNull();
  expect(keeps({ status: "releasing", instance_id: null })).not.toBeNull();
  expect(keeps({ status: "released", instance_id: null })).not.toBeNull();
});

test("a host that nobody hears says so", () => {
  const node = { reachable: false, quarantined: false } as never;
  expect(reachWords({ node }).label).toBe("Does not answer");
  expect(reachWords({ node: null }).label).toBe("No longer held");
});
