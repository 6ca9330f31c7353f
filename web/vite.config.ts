import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  resolve: { alias: { "@clausemill/client": fileURLToPath(new URL("../clients/typescript/src/index.ts", import.meta.url)) } },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  // Nothing is put into the page itself: its policy refuses that.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  // `npm run dev` shows changes at once, on the data of a service that runs beside it.
  server: { proxy: { "^/(api|auth|dev|docs|openapi)": "http://127.0.0.1:8080" } },
});
