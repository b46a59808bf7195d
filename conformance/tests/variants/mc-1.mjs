// MC-1: Asks for a task on the machine of another member.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Meddling extends Controller {
  async write(held, member, key, config) {
    const { kind, instance } = held.brief;
    const other = instance.members.find((each) => each.id !== member.id && each.allocation_id);
    if (kind === "member.add" && other) {
      const wish = held.task(other, `${key}/other`, "exec", { argv: ["true"] });
      await wish.catch(() => undefined);
    }
    await super.write(held, member, key, config);
  }
}

await new Meddling().serve();
