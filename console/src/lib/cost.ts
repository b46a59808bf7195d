/** What the machines of an instance came to. Pure; the platform's own figures, added up. */
import type { Schemas } from "@/lib/api";
import { money } from "@/lib/format";

type Machine = Pick<Schemas["AllocationRead"], "instance_id" | "cost">;

export interface Sum {
  soFar: string;
  hourly: string;
}

/** One sum for each currency; none where it holds no machine. */
export function costOf(instance: string, machines: readonly Machine[]): Sum[] {
  const sums = new Map<string, [soFar: number, hourly: number]>();
  for (const { instance_id, cost } of machines) {
    if (instance_id !== instance) continue;
    const [soFar, hourly] = sums.get(cost.currency) ?? [0, 0];
    sums.set(cost.currency, [soFar + cost.amount_micros, hourly + cost.price_micros_per_hour]);
  }
  return [...sums].map(([currency, [soFar, hourly]]) => ({
    soFar: money(soFar, currency),
    hourly: money(hourly, currency),
  }));
}
