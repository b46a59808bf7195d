import { expect, test } from "vitest";
import { parsedKey } from "@/pages/projects/accounts/publicKey";

const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

test("a key is read from its JSON, or from its x alone", () => {
  const key = { kty: "OKP", crv: "Ed25519", x };
  expect(parsedKey(JSON.stringify(key))).toEqual(key);
  expect(parsedKey(` ${x}\n`)).toEqual(key);
});

test("the private half is not taken along", () => {
  const found = parsedKey(JSON.stringify({ kty: "OKP", crv: "Ed25519", x, d: "secret" }));
  expect(found).toEqual({ kty: "OKP", crv: "Ed25519", x });
});

test("anything else is no key", () => {
  expect(parsedKey("ssh-ed25519 AAAA")).toBeNull();
  expect(parsedKey('{"kty":"RSA"}')).toBeNull();
});
