import { expect, test } from "vitest";
import { costOf } from "@/lib/cost";

const cost = (amount_micros: number, price_micros_per_hour: number, currency = "EUR") => ({
  label: "estimate",
  held_seconds: 3600,
  amount_micros,
  price_micros_per_hour,
  currency,
});

test("the machines of an instance are added up, and no others", () => {
  const machines = [
    { instance_id: "ins_1", cost: cost(1_500_000, 1_000_000) },
    { instance_id: "ins_1", cost: cost(500_000, 2_000_000) },
    { instance_id: "ins_2", cost: cost(9_000_000, 9_000_000) },
  ];
  expect(costOf("ins_1", machines)).toEqual([{ soFar: "€2.00", hourly: "€3.00" }]);
});

test("currencies stand side by side", () => {
  const machines = [
    { instance_id: "ins_1", cost: cost(1_000_000, 1_000_000) },
    { instance_id: "ins_1", cost: cost(1_000_000, 1_000_000, "USD") },
  ];
  expect(costOf("ins_1", machines).map((sum) => sum.soFar)).toEqual(["€1.00", "$1.00"]);
});

test("an instance without machines costs nothing that could be said", () => {
  expect(costOf("ins_1", [])).toEqual([]);
});
