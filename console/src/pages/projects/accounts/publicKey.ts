/** Reads what people paste as a public key. Pure. */
import type { Schemas } from "@/lib/api";

const X = /^[A-Za-z0-9_-]{43}$/;

/** The key, or null where there is none in it. A private half (`d`) is left behind. */
export function parsedKey(text: string): Schemas["PublicKey"] | null {
  const given = text.trim();
  if (X.test(given)) return { kty: "OKP", crv: "Ed25519", x: given };
  try {
    const { kty, crv, x } = JSON.parse(given) as Record<string, unknown>;
    if (kty === "OKP" && crv === "Ed25519" && typeof x === "string" && X.test(x))
      return { kty, crv, x };
  } catch {
    return null;
  }
  return null;
}
