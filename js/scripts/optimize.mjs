/**
 * Optimizes a WebAssembly artifact with binaryen's `wasm-opt`:
 * `node scripts/optimize.mjs IN.wasm OUT.wasm [--level 0]`.
 *
 * The features are those that Rust's `wasm32-unknown-unknown` target emits by default. So no pass can add an instruction that a host has
 * disabled.
 */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { argv, execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/**
 * Optimizes the file `from`, and writes the file `to`. Custom sections other than debug information stay. At level 0 only debug
 * information goes, for tests, which should begin soon.
 */
export function optimize(from, to, level = "3") {
  const wasmOpt = join(dirname(createRequire(import.meta.url).resolve("binaryen/package.json")), "bin", "wasm-opt");
  const features = FEATURES.map((feature) => `--enable-${feature}`);
  // Larger functions with one caller are not inlined: the code is as fast, and compresses better. The stack comes first, so no valid
  // address is below 1024, and offsets can be part of loads and stores.
  const smaller = ["--one-caller-inline-max-function-size=40", "--low-memory-unused"];
  const passes = [...(level === "0" ? [] : [`-O${level}`, ...smaller]), "--strip-debug", "--strip-producers"];
  execFileSync(execPath, [wasmOpt, from, ...features, ...passes, "-o", to], { stdio: "inherit" });
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { level: { type: "string" } }, allowPositionals: true });
  const [from, to] = positionals;
  if (from === undefined || to === undefined) throw new Error("usage: optimize.mjs IN.wasm OUT.wasm [--level 0]");
  optimize(from, to, values.level);
}
