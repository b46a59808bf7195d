// OP-10: Goes on to the end, whoever wants it to stop.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Unstoppable extends Controller {
  turns() {
    return false;
  }
}

await new Unstoppable().serve();
