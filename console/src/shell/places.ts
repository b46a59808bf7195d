/** Where one can go, by what one may do: for the menu and the palette alike. Pure. */
import {
  type Icon,
  IconAnchor,
  IconBook2,
  IconBuilding,
  IconBuildingFactory2,
  IconCertificate,
  IconCpu,
  IconHistory,
  IconListDetails,
  IconPackages,
  IconRobot,
  IconScale,
  IconServer2,
  IconShip,
  IconStethoscope,
  IconTimelineEvent,
  IconUpload,
  IconUsers,
} from "@tabler/icons-react";
import { may } from "@/lib/can";
import { type Me, type Org, PLATFORM_ORG, type Project } from "@/lib/me";

export interface Place {
  label: string;
  to: string;
  icon: Icon;
  /** Only the page itself is this place, not those below it. */
  exact?: boolean;
  /** It leaves the console. */
  outside?: boolean;
}

export interface Places {
  title: string;
  places: Place[];
}

type Entry = [key: string | null, place: Place];

export function placesFor(me: Me, project: Project | null, org: Org | null): Places[] {
  const groups: Places[] = [];
  const add = (title: string, where: { org?: string; project?: string }, entries: Entry[]) => {
    const places = entries
      .filter(([key]) => key === null || may(me, key, where).allowed)
      .map(([, place]) => place);
    if (places.length > 0) groups.push({ title, places });
  };
  if (project) {
    const base = `/projects/${project.org.slug}/${project.slug}`;
    add("Project", { org: project.org.id, project: project.id }, [
      ["apps.instance.read", { label: "Instances", to: base, icon: IconAnchor, exact: true }],
      ["catalog.app.read", { label: "Catalog", to: `${base}/catalog`, icon: IconPackages }],
      [
        "apps.operation.read",
        { label: "Operations", to: `${base}/operations`, icon: IconListDetails },
      ],
      ["infra.allocation.read", { label: "Machines", to: `${base}/machines`, icon: IconServer2 }],
      ["iam.member.read", { label: "People", to: `${base}/people`, icon: IconUsers }],
      [
        "iam.service_account.read",
        { label: "Service accounts", to: `${base}/accounts`, icon: IconRobot },
      ],
      [
        "catalog.entitlement.read",
        { label: "Entitlements", to: `${base}/entitlements`, icon: IconCertificate },
      ],
      ["policy.overlay.read", { label: "Policy", to: `${base}/policy`, icon: IconScale }],
      [
        "catalog.artifact.read",
        { label: "Publishing", to: `${base}/publishing`, icon: IconUpload },
      ],
    ]);
  }
  const home = project?.org ?? org;
  if (home?.whole && home.id !== PLATFORM_ORG) {
    const base = `/orgs/${home.slug}`;
    add("Organisation", { org: home.id }, [
      ["iam.project.read", { label: "Projects", to: base, icon: IconShip, exact: true }],
      ["iam.member.read", { label: "People", to: `${base}/people`, icon: IconUsers }],
      ["policy.overlay.read", { label: "Policy", to: `${base}/policy`, icon: IconScale }],
    ]);
  }
  add("Platform", { org: PLATFORM_ORG }, [
    ["infra.node.read", { label: "Nodes", to: "/platform/nodes", icon: IconCpu }],
    [
      "infra.sku.write",
      { label: "SKUs and regions", to: "/platform/classes", icon: IconBuildingFactory2 },
    ],
    ["iam.org.create", { label: "Organisations", to: "/platform/orgs", icon: IconBuilding }],
    ["iam.user.read", { label: "Accounts", to: "/platform/people", icon: IconUsers }],
    ["policy.global.update", { label: "Policy for all", to: "/platform/policy", icon: IconScale }],
  ]);
  add("Evidence", {}, [
    ["audit.entry.read", { label: "Audit", to: "/audit", icon: IconHistory }],
    ["events.event.read", { label: "Events", to: "/events", icon: IconTimelineEvent }],
    ["apps.operation.read", { label: "Triage", to: "/triage", icon: IconStethoscope }],
    [null, { label: "Documentation", to: "/docs/", icon: IconBook2, outside: true }],
  ]);
  return groups;
}
