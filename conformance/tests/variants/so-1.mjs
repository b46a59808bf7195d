// SO-1: Claims for another app too.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Greedy extends Controller {
  hear(said) {
    super.hear(said);
    this.platform.claim({ ...this.question(0), app: "echo" }).catch(() => undefined);
  }
}

await new Greedy().serve();
