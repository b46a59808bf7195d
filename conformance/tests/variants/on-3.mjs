// ON-3: Asks for an instance that nobody told it of.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Guessing extends Controller {
  async observe(watch) {
    const other = watch.instance.id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const path = `/v1/instances/${other}/principals`;
    const options = { token: watch.grant };
    await this.platform.call("GET", path, undefined, options).catch(() => undefined);
    await super.observe(watch);
  }
}

await new Guessing().serve();
