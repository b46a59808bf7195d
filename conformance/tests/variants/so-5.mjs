// SO-5: Connects to a machine by itself.

import { connect } from "node:net";
import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Wandering extends Controller {
  begin(brief) {
    const { host_address: host } = brief.member ?? {};
    if (host) connect({ host, port: 22 }).on("error", () => undefined);
    super.begin(brief);
  }
}

await new Wandering().serve();
