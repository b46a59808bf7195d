// OP-5: Writes another greeting when it writes it a second time.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Forgetful extends Controller {
  write(held, member, key, config) {
    const [number, attempt] = key.split("/");
    const again = number !== "undo" && attempt !== "1";
    const greeting = again ? `${config.greeting} ${config.greeting}` : config.greeting;
    return super.write(held, member, key, { greeting });
  }
}

await new Forgetful().serve();
