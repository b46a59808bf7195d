// OP-12: Fails without a word.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";
import { Lost, Wait } from "../../../apps/fixtures/node-echo/platform.mjs";

class Mute extends Controller {
  async fail(held, error) {
    if (error instanceof Lost || error instanceof Wait) return super.fail(held, error);
    await held.report("failed");
  }
}

await new Mute().serve();
