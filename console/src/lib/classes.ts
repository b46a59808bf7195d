/** Classes of machines and the places where they stand, as choices. */
import { useQuery } from "@tanstack/react-query";
import { ask, type Schemas } from "@/lib/api";
import { bytes, money } from "@/lib/format";

type Sku = Schemas["SkuRead"];

/** "8 CPUs · 64 GiB · 4 × H100". */
export function shape(sku: Pick<Sku, "cpus" | "memory_bytes" | "gpus" | "gpu_model">): string {
  const parts = [`${sku.cpus} CPU${sku.cpus === 1 ? "" : "s"}`, bytes(sku.memory_bytes)];
  if (sku.gpus > 0) parts.push(`${sku.gpus} × ${sku.gpu_model ?? "GPU"}`);
  return parts.join(" · ");
}

export function price(sku: Pick<Sku, "price_micros" | "currency">): string {
  return `${money(sku.price_micros, sku.currency)} an hour`;
}

export interface Choice {
  value: string;
  label: string;
}

/** What can be asked for now; what was retired cannot. */
export function useClasses(): {
  skus: Sku[];
  regions: Schemas["RegionRead"][];
  skuChoices: Choice[];
  regionChoices: Choice[];
  regionName: (slug: string) => string;
} {
  const skus = useQuery(ask("/v1/skus", {}, { limit: 200 })).data?.items ?? [];
  const regions = useQuery(ask("/v1/regions", {}, { limit: 200 })).data?.items ?? [];
  const live = skus.filter((each) => !each.retired_at);
  const open = regions.filter((each) => !each.retired_at);
  return {
    skus: live,
    regions: open,
    skuChoices: live.map((each) => ({
      value: each.slug,
      label: `${each.name} (${shape(each)}, ${price(each)})`,
    })),
    regionChoices: open.map((each) => ({ value: each.slug, label: each.name })),
    regionName: (slug) => regions.find((each) => each.slug === slug)?.name ?? slug,
  };
}
