import { expect, test } from "vitest";
import { persistently } from "@/lib/persistently";

test("what cannot be fetched just now is fetched later", async () => {
  let tries = 0;
  const got = await persistently(async () => {
    tries += 1;
    if (tries < 3) throw new Error("Failed to fetch");
    return "there";
  }, 0);

  expect([got, tries]).toEqual(["there", 3]);
});
