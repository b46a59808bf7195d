// SO-4: Asks who may be on the machines, which its manifest does not ask for.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Curious extends Controller {
  async observe(watch) {
    const path = `/v1/instances/${watch.instance.id}/principals`;
    const options = { token: watch.grant };
    await this.platform.call("GET", path, undefined, options).catch(() => undefined);
    await super.observe(watch);
  }
}

await new Curious().serve();
