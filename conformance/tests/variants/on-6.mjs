// ON-6: Cannot go back, although its manifest says so.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class OneWay extends Controller {
  async forward(held, steps) {
    if (held.brief.kind !== "instance.rollback") return super.forward(held, steps);
    const error = { code: "one_way", message: "There is no way back." };
    await held.report("failed", { error, recovery: "terminal" });
  }
}

await new OneWay().serve();
