// OP-16: Ends without giving back what it holds.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Abrupt extends Controller {
  async leave() {}
}

await new Abrupt().serve();
