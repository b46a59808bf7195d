// ON-2: Looks with its own key for projects.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Prying extends Controller {
  hear(said) {
    super.hear(said);
    const options = { token: this.platform.token };
    this.platform.call("GET", "/v1/projects", undefined, options).catch(() => undefined);
  }
}

await new Prying().serve();
