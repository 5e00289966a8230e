/**
 * The packed package, installed in a temporary folder.
 *
 * `ADJUDICATE_INSTALLED` is the folder of an installed package, which is copied. Without it, this file packs `js/` and installs that.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Installs the package in a folder that is removed at the end of the process. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), "adjudicate-js-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const installed = env.ADJUDICATE_INSTALLED;
  if (installed === undefined) npm(folder, "install", "--offline", "--no-save", pack(folder));
  else cpSync(installed, installedFile(folder), { recursive: true });
  // The SDK that an entry imports.
  for (const name of ["langchain", "@langchain"]) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  return folder;
}

/** Returns both forms of the package: `{ import, require }`, each with the entries `main`, `slim`, `evaluate`, `run`, `ai`, `openai`, `langchain`, `hooks`, `collect` and `verdict`. */
export async function bothForms(folder) {
  const probe = join(folder, "probe.mjs");
  const entries = {
    main: "adjudicate",
    slim: "adjudicate/slim",
    evaluate: "adjudicate/evaluate",
    run: "adjudicate/run",
    ai: "adjudicate/ai",
    openai: "adjudicate/openai",
    langchain: "adjudicate/langchain",
    hooks: "adjudicate/agent-hooks",
    collect: "adjudicate/collect",
    verdict: "adjudicate/verdict",
  };
  writeFileSync(probe, Object.entries(entries).map(([name, entry]) => `export * as ${name} from "${entry}";\n`).join(""));
  const require = createRequire(join(folder, "probe.cjs"));
  return { import: await import(pathToFileURL(probe).href), require: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, require(entry)])) };
}

/** Returns the path of a file in the installed package. */
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
