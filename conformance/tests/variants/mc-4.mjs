// MC-4: Uses a grant after the report that ended its operation.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Clinging extends Controller {
  async forward(held, steps) {
    await super.forward(held, steps);
    held.over = false;
    await held.call("GET", `/v1/operations/${held.brief.id}/tasks`).catch(() => undefined);
  }
}

await new Clinging().serve();
