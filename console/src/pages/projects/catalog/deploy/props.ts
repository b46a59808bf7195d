/** What every step of a deployment is given. */
import type { Schemas } from "@/lib/api";
import type { Draft, Fault, Step } from "@/pages/projects/catalog/deploy/draft";
import type { Standing } from "@/pages/projects/catalog/offers";

export interface StepProps {
  app: Schemas["AppRead"];
  standing: Standing;
  version: Schemas["VersionDetail"];
  versions: Schemas["VersionRead"][];
  channels: Schemas["ChannelRead"][];
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** What the platform refused, at the fields that it is about. */
  faults: readonly Fault[];
  go: (step: Step) => void;
}
