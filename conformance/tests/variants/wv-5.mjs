// WV-5: Asks for a task under a watch.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Touching extends Controller {
  begin(brief) {
    this.known = brief;
    super.begin(brief);
  }

  async observe(watch) {
    const { allocation_id: allocation } = watch.instance.members[0] ?? {};
    if (this.known && allocation) {
      const wish = { key: "watched", kind: "exec", allocation, input: { argv: ["true"] } };
      const path = `/v1/operations/${this.known.id}/tasks`;
      const options = { token: watch.grant };
      await this.platform.call("POST", path, { tasks: [wish] }, options).catch(() => undefined);
    }
    await super.observe(watch);
  }
}

await new Touching().serve();
