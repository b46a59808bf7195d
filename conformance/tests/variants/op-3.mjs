// OP-3: Says something else when it sends a report again.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";
import { Platform } from "../../../apps/fixtures/node-echo/platform.mjs";

class Wavering extends Platform {
  async send(path, request) {
    const answer = await super.send(path, request);
    if (!answer && path.endsWith("/report")) {
      request.body = JSON.stringify({ ...JSON.parse(request.body), message: "Once more." });
    }
    return answer;
  }
}

await new Controller(new Wavering()).serve();
