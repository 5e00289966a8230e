/** The Vite plugin: modules made from the repository, the content security policy, and the service worker. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

import { META_POLICY } from "./csp.js";
import { filesUsed, readExamples } from "./examples.js";
import { DOCUMENTS, readTypes } from "./types.js";

/** The placeholders in the service worker's source. */
const VERSION = "__VERSION__";
const FILES = "__FILES__";

/** @param root The playground's folder. */
export function playground(root: string): Plugin {
  const repository = join(root, "..", "..");
  const fixtures = join(repository, "fixtures");
  // `cargo xtask generate` writes it from the tables of operators and facts.
  const vocabulary = join(root, "build", "vocabulary.json");
  const declarations = join(packageFolder(root), "dist", "generated", "types.d.ts");

  const modules = new Map<string, { files: readonly string[]; make: () => unknown }>([
    ["virtual:examples", { files: filesUsed(fixtures), make: () => readExamples(fixtures) }],
    [
      "virtual:language",
      {
        files: [vocabulary, declarations],
        make: () => ({
          types: readTypes(declarations),
          documents: DOCUMENTS,
          ...JSON.parse(readFileSync(vocabulary, "utf8")),
        }),
      },
    ],
  ]);

  return {
    name: "playground",
    resolveId: (id) => (modules.has(id) ? `\0${id}` : undefined),
    load(id) {
      const module = modules.get(id.slice(1));
      if (module === undefined) return undefined;
      module.files.forEach((file) => this.addWatchFile(file));
      // Browsers parse JSON text faster than the equal literal.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(module.make()))});`;
    },
    transformIndexHtml: {
      order: "post",
      handler(_, context) {
        // The development server injects its own scripts and styles, which the policy would forbid.
        if (context.server !== undefined) return [];
        const meta = { "http-equiv": "Content-Security-Policy", content: META_POLICY };
        return [{ tag: "meta", attrs: meta, injectTo: "head-prepend" }];
      },
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const own = ["theme.js", "icon.svg"];
        const digest = createHash("sha256");
        for (const name of Object.keys(bundle).sort()) {
          const file = bundle[name];
          digest.update(`${name}\n`).update(file?.type === "chunk" ? file.code : (file?.source ?? ""));
        }
        for (const name of own) digest.update(readFileSync(join(root, "public", name)));
        const files = [...new Set(["./", ...Object.keys(bundle), ...own])].filter((name) => !name.endsWith("index.html"));
        const source = readFileSync(join(root, "build", "service-worker.js"), "utf8")
          .replace(VERSION, digest.digest("hex").slice(0, 16))
          .replace(`"${FILES}"`, files.map((name) => JSON.stringify(name)).join(", "));
        this.emitFile({ type: "asset", fileName: "service-worker.js", source });
      },
    },
  };
}

/** Returns the folder of the packed package, so that the page and completion use the same version. */
function packageFolder(root: string): string {
  const resolve = createRequire(join(root, "package.json")).resolve;
  try {
    return dirname(resolve("adjudicate/package.json"));
  } catch (cause) {
    const how = "run `cargo xtask playground --build`, or `npm install --no-save` with the packed package";
    throw new Error(`the package \`adjudicate\` is not installed here: ${how}`, { cause });
  }
}
