// AC-2: Answers an action with other fields than it declares.

import { Controller } from "../../../apps/fixtures/node-echo/controller.mjs";

class Rambling extends Controller {
  outcome(brief) {
    return brief.kind === "action" ? { result: { spoken: brief.input.word } } : super.outcome(brief);
  }
}

await new Rambling().serve();
