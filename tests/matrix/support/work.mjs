// The projects of consumers, in which the packed package is installed as users install it.

import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { install } from "../../../js/test/support/installed.mjs";
import { given } from "./given.mjs";

const consumers = fileURLToPath(new URL("../consumers", import.meta.url));

let installed;

/**
 * Creates a project with the files of a consumer, below the folder whose `node_modules` has the tools.
 *
 * @param consumer A folder of `consumers/`, or the name of another script of its page. `name` is the project's name, for several projects of one
 * consumer.
 */
export function project(tools, consumer, name = consumer) {
  const folder = join(tools, "work", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script = join(consumers, `${consumer}.js`);
  const isPage = existsSync(script);
  cpSync(join(consumers, isPage ? "page" : consumer), folder, { recursive: true });
  if (isPage) cpSync(script, join(folder, "main.js"));
  for (const file of ["questions.js", "watch.js"]) cpSync(join(consumers, file), join(folder, file));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, "given.js"), `export default ${JSON.stringify(given)};\n`);
  installed ??= install();
  cpSync(join(installed, "node_modules/adjudicate"), join(folder, "node_modules/adjudicate"), { recursive: true });
  return folder;
}
