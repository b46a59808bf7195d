import { expect, test } from "vitest";
import { slugOf } from "@/lib/slug";

test("a slug is made of what a name says", () => {
  expect(slugOf("Acme Research")).toBe("acme-research");
  expect(slugOf("  Müller & Söhne ")).toBe("muller-sohne");
  expect(slugOf("2nd Team!")).toBe("nd-team");
});
