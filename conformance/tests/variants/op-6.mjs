// OP-6: Writes a step down when it has ended, and not before it begins.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";
import { Held } from "../../../apps/fixtures/node-echo/platform.mjs";

class Silent extends Held {
  report(state, said = {}) {
    const steps = (said.steps ?? []).filter((step) => step.status !== "running");
    return super.report(state, { ...said, steps });
  }
}

class Late extends Controller {
  hold(brief) {
    return new Silent(this.platform, brief);
  }
}

await new Late().serve();
