// VS-3: Refuses an operation that has a field more than it knows.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";
import { Refused } from "../../../apps/fixtures/node-echo/platform.mjs";

const KNOWN = [
  ...["id", "kind", "action", "phase", "direction", "attempt", "fence", "grant", "handout"],
  ...["lease_expires_at", "deadline", "input", "reason", "correlation_id", "traceparent"],
  ...["parent_id", "cancel_requested", "no_return", "sequence", "requested_by", "steps"],
  ...["instance_id", "change", "member", "member_ids", "members", "children", "batch", "instance"],
];

class Strict extends Controller {
  plan(brief) {
    const strange = Object.keys(brief).filter((name) => !KNOWN.includes(name));
    if (strange.length === 0) return super.plan(brief);
    const refuse = async () => {
      throw new Refused(0, { code: "unknown_field", detail: `There is no field ${strange}.` });
    };
    return [{ name: "read", run: refuse }];
  }
}

await new Strict().serve();
