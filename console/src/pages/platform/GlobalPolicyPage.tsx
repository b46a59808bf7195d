/** Policy of the platform: for all, and for single organisations. */
import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ask, client } from "@/lib/api";
import { type May, may } from "@/lib/can";
import { PLATFORM_ORG, useMe } from "@/lib/me";
import { usePages } from "@/lib/pages";
import { useSearchParam } from "@/lib/search";
import { LayerSection } from "@/pages/projects/policy/LayerSection";

export function GlobalPolicyPage() {
  const me = useMe();
  const mayWrite = may(me, "policy.global.update", { org: PLATFORM_ORG });
  const overlay = useQuery(ask("/v1/policy/global", {}));
  const orgs = usePages("/v1/orgs", {}, { limit: 200 });
  const [org, setOrg] = useSearchParam("org");
  const chosen = orgs.items.find((each) => each.slug === org);
  return (
    <Page
      title="Policy for all"
      lead="What the platform limits. Organisations and projects can narrow it further, and none can widen it."
    >
      <LayerSection
        id="global"
        title="For everybody"
        lead="Holds in every organisation."
        of={overlay}
        may={mayWrite}
        put={(body, dry_run, headers) =>
          client.PUT("/v1/policy/global", { params: { query: { dry_run } }, body, headers })
        }
      />
      <Section title="For one organisation" lead="What the platform limits for it alone.">
        <Select
          label="Organisation"
          placeholder="Choose one"
          searchable
          clearable
          maw={360}
          value={org || null}
          onChange={(value) => setOrg(value ?? "")}
          data={orgs.items
            .filter((each) => each.id !== PLATFORM_ORG)
            .map((each) => ({ value: each.slug, label: each.name }))}
        />
        {!chosen && (
          <Text size="sm" c="dimmed" mt="xs">
            Its quotas, for example, are set here.
          </Text>
        )}
      </Section>
      {chosen && <Tenant key={chosen.id} org={chosen} mayWrite={mayWrite} />}
    </Page>
  );
}

function Tenant({ org, mayWrite }: { org: { id: string; name: string }; mayWrite: May }) {
  const overlay = useQuery(ask("/v1/platform/orgs/{org}/overlay", { org: org.id }));
  return (
    <LayerSection
      id="tenant"
      title={`For ${org.name}`}
      lead="Beside what holds for everybody."
      of={overlay}
      may={mayWrite}
      put={(body, dry_run, headers) =>
        client.PUT("/v1/platform/orgs/{org}/overlay", {
          params: { path: { org: org.id }, query: { dry_run } },
          body,
          headers,
        })
      }
    />
  );
}
