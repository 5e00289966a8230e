/**
 * The package as a user has it: packed, and installed into a folder of its own.
 *
 * The tarball is `ADJUDICATE_PACKAGE`; without it, `js/` is packed as it is.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Installs the package; the folder goes away with the process. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), "adjudicate-js-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  npm(folder, "install", "--offline", "--no-save", env.ADJUDICATE_PACKAGE ?? pack(folder));
  return folder;
}

/** The package in both of its forms: `{ import, require }`, each with the entries `main`, `slim` and `ai`. */
export async function bothForms(folder) {
  const probe = join(folder, "probe.mjs");
  writeFileSync(probe, 'export * as main from "adjudicate";\nexport * as slim from "adjudicate/slim";\nexport * as ai from "adjudicate/ai";\n');
  const require = createRequire(join(folder, "probe.cjs"));
  return {
    import: await import(pathToFileURL(probe).href),
    require: { main: require("adjudicate"), slim: require("adjudicate/slim"), ai: require("adjudicate/ai") },
  };
}

/** Where a file of the installed package is. */
export function installedFile(folder, ...path) {
  return join(folder, "node_modules", "adjudicate", ...path);
}

function pack(folder) {
  const [{ filename }] = JSON.parse(npm(root, "pack", "--json", "--pack-destination", folder));
  return join(folder, filename);
}

function npm(cwd, ...parameters) {
  return execFileSync("npm", parameters, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
