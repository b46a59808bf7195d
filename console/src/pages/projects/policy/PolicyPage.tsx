/** Policy of a project: what all layers leave, what the project itself limits, and what would be refused. */
import { useQuery } from "@tanstack/react-query";
import { Face } from "@/components/Faces";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ask, client } from "@/lib/api";
import { useCan, useThisProject } from "@/lib/me";
import { Explain } from "@/pages/projects/policy/Explain";
import { LayerSection } from "@/pages/projects/policy/LayerSection";
import { EffectiveLimits } from "@/pages/projects/policy/Limits";

export function PolicyPage() {
  const project = useThisProject();
  const can = useCan();
  const fills = { project: project.id };
  const effective = useQuery(ask("/v1/projects/{project}/policy", fills));
  const overlay = useQuery(ask("/v1/projects/{project}/overlay", fills));
  return (
    <Page
      title="Policy"
      lead="The platform, the organisation and the project each may narrow what is done here; none can widen what one above it leaves."
    >
      {can("policy.decision.explain").allowed && <Explain project={project.id} />}
      <Section
        title="What holds here"
        lead="What all layers together leave, and which of them says so."
      >
        <Face of={effective}>{(policy) => <EffectiveLimits of={policy} />}</Face>
      </Section>
      <LayerSection
        id="project"
        title="The project’s own limits"
        lead="Narrow what may be done in this project."
        of={overlay}
        may={can("policy.overlay.update")}
        put={(body, dry_run, headers) =>
          client.PUT("/v1/projects/{project}/overlay", {
            params: { path: fills, query: { dry_run } },
            body,
            headers,
          })
        }
      />
    </Page>
  );
}
