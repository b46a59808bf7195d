// MB-4: Leaves everything on the host of a member that is removed.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Untidy extends Controller {
  plan(brief) {
    const leaves = brief.kind === "member.remove" && brief.instance.status !== "deleting";
    return leaves ? [] : super.plan(brief);
  }
}

await new Untidy().serve();
