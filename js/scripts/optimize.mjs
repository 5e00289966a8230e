/**
 * Runs binaryen's `wasm-opt` the one way both WebAssembly artefacts are optimised:
 * `node scripts/optimize.mjs IN.wasm OUT.wasm`.
 *
 * The features are exactly those that Rust's `wasm32-unknown-unknown` target emits by default, so that no pass can
 * introduce an instruction that a host has switched off.
 */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { argv, execPath } from "node:process";
import { fileURLToPath } from "node:url";

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

/** Reads one file, writes the other. Custom sections that are not debug information stay. */
export function optimize(from, to) {
  const wasmOpt = join(dirname(createRequire(import.meta.url).resolve("binaryen/package.json")), "bin", "wasm-opt");
  const features = FEATURES.map((feature) => `--enable-${feature}`);
  // Functions with one caller that are larger than this stay apart: that is as fast, and compresses better. The stack comes
  // first, so that nothing valid lies below address 1024, and what is added to an address can be part of the access.
  const smaller = ["--one-caller-inline-max-function-size=40", "--low-memory-unused"];
  const passes = ["-O3", ...smaller, "--strip-debug", "--strip-producers"];
  execFileSync(execPath, [wasmOpt, from, ...features, ...passes, "-o", to], { stdio: "inherit" });
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to] = argv.slice(2);
  if (from === undefined || to === undefined) throw new Error("usage: optimize.mjs IN.wasm OUT.wasm");
  optimize(from, to);
}
