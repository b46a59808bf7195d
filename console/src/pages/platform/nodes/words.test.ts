import { expect, test } from "vitest";
import {
  allows,
  gpuWords,
  hardwareWords,
  heard,
  labelsOf,
  labelsText,
} from "@/pages/platform/nodes/words";

test("a node that somebody holds can be quarantined, and nothing else", () => {
  const held = { status: "allocated", allocation_id: "alc_1" } as const;
  expect(allows(held, "quarantine").allowed).toBe(true);
  for (const verb of ["maintenance", "reimage", "retire"] as const)
    expect(allows(held, verb).why).toContain("A project holds it");
});

test("only what was taken out can be resumed", () => {
  expect(allows({ status: "available", allocation_id: null }, "resume").allowed).toBe(false);
  expect(allows({ status: "quarantined", allocation_id: null }, "resume").allowed).toBe(true);
});

test("a retired node allows nothing", () => {
  const gone = { status: "retired", allocation_id: null } as const;
  for (const verb of ["maintenance", "quarantine", "resume", "reimage", "retire"] as const)
    expect(allows(gone, verb).allowed).toBe(false);
});

test("a silent node says so, one that never enrolled too", () => {
  const node = {
    reach: "agent",
    reachable: false,
    enrolled_at: "2026-01-01",
    status: "available",
  } as const;
  expect(heard(node).label).toBe("Silent");
  expect(heard({ ...node, enrolled_at: null }).label).toBe("Never seen");
  expect(heard({ ...node, reach: "ssh" }).label).toBe("By SSH");
});

test("GPUs are counted by model", () => {
  expect(gpuWords([{ model: "H100" }, { model: "H100" }, { model: null }])).toBe(
    "2 × H100, 1 × GPU",
  );
  expect(gpuWords(undefined)).toBe("");
});

test("labels are words with a value", () => {
  expect(labelsOf("rack=a1, row=2")).toEqual({ rack: "a1", row: "2" });
  expect(labelsText({ rack: "a1", row: "2" })).toBe("rack=a1 row=2");
});

test("a host is said in a line, its accelerators counted by model", () => {
  const said = { os: "debian 13", cpu_model: "Xeon", threads: 16, memory_bytes: 64 * 2 ** 30 };
  expect(hardwareWords({ ...said, gpus: ["H200", "H200"] })).toBe("16 threads, 64 GiB, 2 × H200");
  expect(hardwareWords({ ...said, threads: null, gpus: [] })).toBe("64 GiB");
  expect(hardwareWords(null)).toBe("");
});
