/** The TypeScript compiler with strict options. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execPath } from "node:process";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const STRICT = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, noUncheckedIndexedAccess: true, skipLibCheck: false, target: "ES2022", types: [] };

/** Checks files of a folder. Returns the errors of the compiler as text. */
export function faultsOf(folder, files, options) {
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  const { status, stdout } = spawnSync(execPath, [tsc, "--project", config], { encoding: "utf8", maxBuffer: 1 << 28 });
  return status === 0 ? "" : stdout;
}
