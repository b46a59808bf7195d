import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const OUT = "../core/src/moorage_core/console/app";

/** The server sends what was compressed here, once, and compresses nothing itself. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile() && /\.(js|css|html|svg)$/.test(entry.name))
          writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // rjsf names its own validator in a part for tests; ours stands in, and needs no eval.
      "@rjsf/validator-ajv8": fileURLToPath(new URL("./src/forms/validator.ts", import.meta.url)),
    },
  },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    assetsInlineLimit: 0, // nothing inline: the content security policy allows files alone
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { "/v1": { target: process.env.MOORAGE_URL ?? "http://127.0.0.1:7700", secure: false } },
  },
  test: { include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
