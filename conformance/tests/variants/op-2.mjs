// OP-2: Goes on reporting an operation that is another's.

import { setTimeout as sleep } from "node:timers/promises";
import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";
import { Lost } from "../../../apps/fixtures/node-echo/platform.mjs";

class Stubborn extends Controller {
  async fail(held, error) {
    if (!(error instanceof Lost)) return super.fail(held, error);
    for (let times = 0; times < 3; times += 1) {
      await sleep(600);
      held.over = false;
      await held.report("running").catch(() => undefined);
    }
  }
}

await new Stubborn().serve();
