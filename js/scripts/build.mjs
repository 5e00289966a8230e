/**
 * Builds the package: `node scripts/build.mjs --glue DIR --evaluate DIR --collect WASM --command WASM [--level 0]`. The folders have the output of wasm-bindgen for the builds
 * `js` and `evaluate` (target `bundler`, name `engine`): `engine_bg.js`, `engine_bg.wasm`, `engine.d.ts`. The others are the module of collections, and that of the command. Writes `src/generated/` and `dist/`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "esbuild";

import { declarations } from "./declarations.mjs";
import { optimize } from "./optimize.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const generated = join(root, "src", "generated");
const dist = join(root, "dist");

/** The modules that have an entry in package.json. */
const ENTRIES = ["index", "slim", "evaluate", "run", "agent-hooks/index", "ai/index", "collect/index", "langchain/index", "openai/index", "verdict/index"];

/** The WebAssembly that has an entry in package.json. */
const WASM = ["engine.wasm", "evaluate.wasm"];

async function main() {
  const type = "string";
  const { values } = parseArgs({ options: { glue: { type }, evaluate: { type }, collect: { type }, command: { type }, level: { type } } });
  const { glue, evaluate, collect, command, level } = values;
  if (glue === undefined || evaluate === undefined || collect === undefined || command === undefined) {
    throw new Error("usage: build.mjs --glue DIR --evaluate DIR --collect WASM --command WASM [--level 0]");
  }
  for (const folder of [generated, dist]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const wasm = join(dist, "engine.wasm");
  optimize(join(glue, "engine_bg.wasm"), wasm, level);
  checkGlue(evaluate, glue);
  optimize(join(evaluate, "engine_bg.wasm"), join(dist, "evaluate.wasm"), level);
  optimize(collect, join(dist, "collect.wasm"), level);
  optimize(command, join(dist, "command.wasm"), level);
  await generate(glue, readFileSync(wasm));
  compile();
  copyFileSync(join(generated, "worker.js.txt"), join(dist, "worker.js"));
  await bundleForRequire();
  copySchemas();
  for (const license of ["LICENSE-APACHE", "LICENSE-MIT"]) {
    copyFileSync(join(root, "..", license), join(dist, license));
  }
}

/** Throws unless the glue of the engine of `adjudicate/evaluate` is a part of the glue of the whole engine, which serves both. */
function checkGlue(evaluate, whole) {
  const [part, all] = [evaluate, whole].map((folder) => readFileSync(join(folder, "engine_bg.js"), "utf8").split("\n"));
  let at = 0;
  for (const line of part) {
    at = all.indexOf(line, at) + 1;
    if (at === 0) throw new Error(`the glue of the whole engine lacks a line: ${line}`);
  }
}

/** Copies the JSON Schemas of the documents, without white space. */
function copySchemas() {
  const from = join(root, "..", "docs", "schemas");
  const to = join(dist, "schemas");
  mkdirSync(to);
  for (const file of readdirSync(from).filter((name) => name.endsWith(".schema.json"))) {
    write(to, file, JSON.stringify(JSON.parse(readFileSync(join(from, file), "utf8"))));
  }
}

/** Writes the sources that are made from the engine. */
async function generate(glue, wasm) {
  const bindings = readFileSync(join(glue, "engine.d.ts"), "utf8");
  write(generated, "bindings.d.ts", bindings);
  write(generated, "types.d.ts", declarations(bindings));
  write(generated, "glue.js", await glueFactory(join(glue, "engine_bg.js")));
  write(generated, "glue.d.ts", GLUE_TYPES);
  write(generated, "inline.js", `export const base64 = "${wasm.toString("base64")}";\n`);
  const worker = await workerScript();
  write(generated, "worker.js.txt", worker);
  write(generated, "worker.js", `export const script = ${JSON.stringify(worker)};\n`);
  write(generated, "worker.d.ts", "/** The script of the worker that modules with a deadline run in. */\nexport declare const script: string;\n");
  write(generated, "inline.d.ts", "/** The engine's WebAssembly. */\nexport declare const base64: string;\n");
}

/**
 * Returns the glue as a function, so that each instance has its own glue. wasm-bindgen's glue is one module with one instance.
 *
 * Its finalizers are disabled, because they would call instances that have trapped; `handles.ts` has its own. esbuild's code for exports
 * would also export the properties of `Object.prototype`, so it is changed.
 */
async function glueFactory(entry) {
  const options = { bundle: true, format: "iife", globalName: "bindings", target: "es2022", write: false };
  const { outputFiles } = await build({ ...options, entryPoints: [entry], logLevel: "warning" });
  const text = outputFiles[0].text.replace("for (var name in all)", "for (var name of Object.keys(all))");
  if (text === outputFiles[0].text) throw new Error("esbuild has changed its code for exports: check the glue for inherited names");
  return `export function createGlue() {
const FinalizationRegistry = undefined;
${text}
return {
  bindings,
  imports: { "./engine_bg.js": bindings },
  start(exports) {
    bindings.__wbg_set_wasm(exports);
    exports.__wbindgen_start();
  },
};
}
`;
}

/** Returns the script of the worker as one file without imports, which every platform can run. */
async function workerScript() {
  const options = { bundle: true, format: "iife", minify: true, target: "es2022", write: false, logLevel: "warning" };
  const { outputFiles } = await build({ ...options, entryPoints: [join(root, "src", "worker.ts")] });
  return outputFiles[0].text;
}

const GLUE_TYPES = `/** The exports of the engine's WebAssembly. */
export type Bindings = typeof import("./bindings.js");

/** The glue of one instance. */
export interface Glue {
  /** The engine's functions, valid after \`start\`. */
  bindings: Bindings;
  /** The imports of the instance. */
  imports: WebAssembly.Imports;
  /** Connects the glue to its instance. */
  start(exports: WebAssembly.Exports): void;
}

/** Makes the glue of a new instance. */
export declare function createGlue(): Glue;
`;

/** Compiles the modules and their declarations. */
function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  execFileSync(execPath, [tsc, "--project", root], { stdio: "inherit" });
  mkdirSync(join(dist, "generated"), { recursive: true });
  for (const file of ["glue.js", "inline.js", "types.d.ts", "worker.js"]) {
    copyFileSync(join(generated, file), join(dist, "generated", file));
  }
  for (const name of WASM) write(dist, `${name}.d.ts`, WASM_TYPES);
  keepPublicDeclarations();
}

/** Removes the declarations that no entry refers to, and writes the others for `require`: with other file names. */
function keepPublicDeclarations() {
  const shown = new Map();
  const show = (file) => {
    if (shown.has(file)) return;
    const text = readFileSync(file, "utf8");
    shown.set(file, text);
    for (const [, path] of text.matchAll(/from "(\.[^"]*)\.js"/g)) show(join(dirname(file), `${path}.d.ts`));
  };
  for (const entry of [...ENTRIES, ...WASM]) show(join(dist, `${entry}.d.ts`));
  for (const file of readdirSync(dist, { recursive: true })) {
    if (file.endsWith(".d.ts") && !shown.has(join(dist, file))) rmSync(join(dist, file));
  }
  for (const [file, text] of shown) {
    writeFileSync(file.replace(/\.ts$/, ".cts"), text.replaceAll(/(from "\.[^"]*)\.js"/g, '$1.cjs"'));
  }
}

const WASM_TYPES = `/** The engine's WebAssembly, where the platform imports it as a compiled module. */
declare const engine: WebAssembly.Module;
export default engine;
`;

/** Bundles one file per entry for `require`. */
async function bundleForRequire() {
  await build({
    entryPoints: [...ENTRIES, "bin/adjudicate", "bin/worker"].map((entry) => join(dist, `${entry}.js`)),
    outdir: dist,
    outbase: dist,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    target: "es2022",
    // Your program has one copy of the SDK.
    external: ["langchain", "@langchain/*", "node:*"],
    // CommonJS has no `import.meta`. In Node the worker's script needs no URL.
    define: { "import.meta.url": "undefined" },
    logLevel: "warning",
  });
  // The program needs no other form. As a module it would import `node:process`, which changes the mode of all standard streams.
  for (const name of ["adjudicate", "start", "worker"]) rmSync(join(dist, "bin", `${name}.js`));
}

function write(folder, file, text) {
  writeFileSync(join(folder, file), text);
}

await main();
