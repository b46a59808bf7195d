/** Policy of an organisation: what it limits for all its projects. */
import { useQuery } from "@tanstack/react-query";
import { Page } from "@/components/Page";
import { ask, client } from "@/lib/api";
import { may } from "@/lib/can";
import { useMe, useThisOrg } from "@/lib/me";
import { LayerSection } from "@/pages/projects/policy/LayerSection";

export function OrgPolicyPage() {
  const org = useThisOrg();
  const me = useMe();
  const overlay = useQuery(ask("/v1/orgs/{org}/overlay", { org: org.id }));
  return (
    <Page
      title="Policy"
      lead={`What ${org.name} limits for all its projects. Each project can narrow it further, and none can widen it.`}
    >
      <LayerSection
        id="org"
        title="The organisation’s limits"
        lead="They hold in every project, beside what the platform says."
        of={overlay}
        may={may(me, "policy.overlay.update", { org: org.id })}
        put={(body, dry_run, headers) =>
          client.PUT("/v1/orgs/{org}/overlay", {
            params: { path: { org: org.id }, query: { dry_run } },
            body,
            headers,
          })
        }
      />
    </Page>
  );
}
