/** The Vite plugin: modules made from the repository, the content security policy, and the service worker. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { deflateRawSync } from "node:zlib";
import type { HtmlTagDescriptor, Plugin } from "vite";

type PluginContext = ThisParameterType<Extract<NonNullable<Plugin["load"]>, (...given: never[]) => unknown>>;

import { META_POLICY } from "./csp.js";
import { filesUsed, readExamples } from "./examples.js";
import { ruleLinks } from "./rules.js";
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
  const rules = join(repository, "docs", "reference", "rules.md");
  const declarations = join(packageFolder(root), "dist", "generated", "types.d.ts");

  const modules = new Map<string, { files: readonly string[]; make: () => unknown }>([
    ["virtual:examples", { files: filesUsed(fixtures), make: () => readExamples(fixtures) }],
    ["virtual:rules", { files: [rules], make: () => ruleLinks(readFileSync(rules, "utf8"), `${book(root)}reference/`) }],
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

  let isBuild = false;
  return {
    name: "playground",
    configResolved: ({ command }) => void (isBuild = command === "build"),
    resolveId: (id) => (modules.has(id) || id === "virtual:engine" ? `\0${id}` : undefined),
    load(id) {
      if (id === "\0virtual:engine") return isBuild ? engineFile(this, root) : developmentEngine(root);
      const module = modules.get(id.slice(1));
      if (module === undefined) return undefined;
      module.files.forEach((file) => this.addWatchFile(file));
      // Browsers parse JSON text faster than the equal literal.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(module.make()))});`;
    },
    transformIndexHtml: {
      order: "post",
      handler(html, context) {
        const page = html.replaceAll("%BOOK%", book(root));
        // The development server injects its own scripts and styles, which the policy would forbid.
        if (context.server !== undefined) return page;
        const meta = { "http-equiv": "Content-Security-Policy", content: META_POLICY };
        const engine = Object.keys(context.bundle ?? {}).find((file) => file.includes("engine.wasm"));
        const preload = { rel: "preload", as: "fetch", href: `./${engine}`, crossorigin: true };
        const tags: HtmlTagDescriptor[] = [
          { tag: "meta", attrs: meta, injectTo: "head-prepend" },
          { tag: "link", attrs: preload, injectTo: "head" },
        ];
        return { html: page, tags };
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

/** Returns the address of the book's sources, which the package names as its home page. */
function book(root: string): string {
  const { homepage } = JSON.parse(readFileSync(join(root, "..", "package.json"), "utf8")) as { homepage: string };
  return homepage.replace("#readme", "/blob/main/docs/");
}

/** Adds the compressed engine to the built files, and returns the module with its address. */
function engineFile(context: PluginContext, root: string): string {
  const source = deflateRawSync(readFileSync(join(packageFolder(root), "dist", "engine.wasm")), { level: 9 });
  const reference = context.emitFile({ type: "asset", name: "engine.wasm.deflate", source });
  return `export const url = import.meta.ROLLUP_FILE_URL_${reference}; export const isCompressed = true;`;
}

/** Returns the module with the address of the package's file, which the development server serves. */
function developmentEngine(root: string): string {
  const file = join(packageFolder(root), "dist", "engine.wasm");
  return `export { default as url } from ${JSON.stringify(`${file}?url`)}; export const isCompressed = false;`;
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
