// ON-5: Fetches bytes from a place of its own.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Fetching extends Controller {
  async write(held, member, key, config) {
    const argv = ["curl", "--fail", "--output", "/dev/null", "https://mirror.example/greeting"];
    await held.task(member, `${key}/fetch`, "exec", { argv });
    await super.write(held, member, key, config);
  }
}

await new Fetching().serve();
