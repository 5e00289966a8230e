/** The example modules, built by `cargo xtask test guests`. The playground and `tests/matrix` load them in browsers. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";

import { Module } from "../support/abi.mjs";
import { root } from "../support/installed.mjs";
import { NUMBERS } from "../support/operations.mjs";

const folder = env.ADJUDICATE_GUESTS ?? join(root, "..", "target", "artifacts", "guests");
const LANGUAGES = ["rust", "assemblyscript", "zig", "wat"];
const missing = LANGUAGES.filter((language) => !existsSync(join(folder, `${language}.wasm`)));
const skip = missing.length > 0 && `not built: ${missing}; \`cargo xtask test guests\` makes them`;
if (skip && env.CI === "true") throw new Error(skip);

const bytes = (language) => readFileSync(join(folder, `${language}.wasm`));
const cases = (language) => {
  const lines = readFileSync(join(root, "..", "fixtures", "modules", `${language}.ndjson`), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
};

for (const language of LANGUAGES) {
  test(`${language}: each reply is the expected one, after any other call`, { skip }, () => {
    const compiled = new WebAssembly.Module(bytes(language));
    assert.deepEqual(WebAssembly.Module.imports(compiled), []);
    assert.equal(WebAssembly.Module.customSections(compiled, "adjudicate.manifest").length, 1);
    const warm = new Module(compiled);
    const all = cases(language);
    assert.ok(all.length > 15);
    for (const { name, input, reply } of all) {
      assert.equal(new Module(compiled).call(NUMBERS.evaluate, Buffer.from(input)), reply, name);
      assert.equal(warm.call(NUMBERS.evaluate, Buffer.from(input)), reply, name);
    }
  });

  test(`${language}: a thousand calls do not grow its memory, and other operations are refused`, { skip }, () => {
    const module = new Module(new WebAssembly.Module(bytes(language)));
    const all = cases(language);
    const run = () => all.forEach(({ input }) => module.call(NUMBERS.evaluate, Buffer.from(input)));
    run();
    const before = module.memoryBytes;
    for (let repeat = 0; repeat < 50; repeat++) run();
    assert.equal(module.memoryBytes, before);
    for (const number of [0, 2, 11, 12, -1]) {
      assert.equal(JSON.parse(module.call(number, Buffer.from("{}"))).error.code, "unsupported_operation");
    }
  });
}
