// OP-7: Takes recorded steps for its own, whatever they are called.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Guessing extends Controller {
  fits() {
    return true;
  }
}

await new Guessing().serve();
