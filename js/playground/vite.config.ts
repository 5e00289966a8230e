import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import { HEADER_POLICY } from "./build/csp.js";
import { playground } from "./build/plugin.js";

const root = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root,
  // The folder may be served from anywhere.
  base: "./",
  plugins: [playground(root)],
  build: {
    outDir: "../../target/playground",
    emptyOutDir: true,
    target: "es2022",
    // Inlined files would be `data:` addresses, which the page's policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Serving the folder distributes the bundled packages, whose licenses ask for their notices.
    license: { fileName: "licenses.md" },
    // The engine is one piece.
    chunkSizeWarningLimit: 4096,
  },
  preview: {
    host: "127.0.0.1",
    strictPort: true,
    headers: { "Content-Security-Policy": HEADER_POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" },
  },
});
