// MC-3: Asks for a kind of task that its manifest does not declare.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Undeclared extends Controller {
  async write(held, member, key, config) {
    const wish = held.task(member, `${key}/get`, "get", { path: "/etc/hostname" });
    await wish.catch(() => undefined);
    await super.write(held, member, key, config);
  }
}

await new Undeclared().serve();
