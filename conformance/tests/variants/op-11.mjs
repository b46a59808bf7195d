// OP-11: Says that it took its steps back, and took none back.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Lying extends Controller {
  plan(brief) {
    const nothing = async () => undefined;
    return super.plan(brief).map((step) => (step.undo ? { ...step, undo: nothing } : step));
  }
}

await new Lying().serve();
