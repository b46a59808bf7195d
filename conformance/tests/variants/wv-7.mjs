// WV-7: Counts the generations of its view down.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

const LONG_FROM_NOW = 1e14;

class Backward extends Controller {
  generation() {
    return LONG_FROM_NOW - Date.now();
  }
}

await new Backward().serve();
