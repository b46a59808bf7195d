// Writes src/api/schema.d.ts, the types of the public API, from the contract.
//
// With --check it writes nothing and fails where the file is not what the contract gives. What every
// route answers when it refuses is one document, so it stands once and not a thousand times.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const from = new URL("../../contract/openapi.json", import.meta.url);
const to = new URL("../src/api/schema.d.ts", import.meta.url);
const MACHINES = ["/v1/agent/", "/v1/controller/"];
const HEADERS = ["idempotency-key", "if-match", "last-event-id"];

const contract = JSON.parse(readFileSync(from, "utf8"));
for (const [path, verbs] of Object.entries(contract.paths)) {
  if (MACHINES.some((start) => path.startsWith(start))) {
    delete contract.paths[path];
    continue;
  }
  for (const operation of Object.values(verbs)) {
    // The client sets these itself, on every request.
    operation.parameters = operation.parameters?.filter((given) => !HEADERS.includes(given.name));
    for (const [code, answer] of Object.entries(operation.responses)) {
      if (!code.startsWith("2")) delete operation.responses[code];
      else delete answer.headers;
    }
  }
}
const banner = "// Made from contract/openapi.json by `npm run gen`. Do not edit.\n\n";
const text = banner + astToString(await openapiTS(contract, { alphabetize: true }));
if (!process.argv.includes("--check")) writeFileSync(to, text);
else if (readFileSync(to, "utf8") !== text) {
  console.error(`${fileURLToPath(to)} is not what the contract gives: run \`make gen\``);
  process.exit(1);
}
