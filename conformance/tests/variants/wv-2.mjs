// WV-2: Tells a state where it should tell what it sees.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Commanding extends Controller {
  async observe(watch) {
    const { instance, grant, fence } = watch;
    const said = { fence, health: "healthy", status: "running" };
    const path = `/v1/instances/${instance.id}/observed`;
    await this.platform.call("PUT", path, said, { token: grant }).catch(() => undefined);
    await super.observe(watch);
  }
}

await new Commanding().serve();
