// MB-3: Drains without looking who is still there.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Rude extends Controller {
  async empty() {}
}

await new Rude().serve();
