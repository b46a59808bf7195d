// ON-1: Does not restart: somebody is to do it by hand.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class ByHand extends Controller {
  async forward(held, steps) {
    if (held.brief.kind !== "instance.restart") return super.forward(held, steps);
    const error = { code: "by_hand", message: "Restart it by hand." };
    await held.report("failed", { error, recovery: "terminal" });
  }
}

await new ByHand().serve();
