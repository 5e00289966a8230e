/** Runs the programs of the book and of the README in Node, and compares what they print with the pages. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { install, root } from "./support/installed.mjs";

const folder = install();
// The SDK of a page.
symlinkSync(join(root, "node_modules", "ai"), join(folder, "node_modules", "ai"));

const book = join(root, "..", "docs");
const pages = readdirSync(book, { recursive: true }).filter((file) => file.endsWith(".md")).map((file) => join(book, file));
let programs = 0;

for (const [number, path] of [join(root, "README.md"), ...pages].entries()) {
  const page = readFileSync(path, "utf8");
  const place = join(folder, `page-${number}`);
  mkdirSync(place);
  for (const [, name, code] of page.matchAll(/^`([^`\n]+)`:\n\n```\w+\n([^]*?)^```$/gm)) writeFileSync(join(place, name), code);
  for (const [, program, output] of page.matchAll(/^```console\n\$ node (\S+)\n([^]*?)^```$/gm)) {
    programs += 1;
    test(`${path}: ${program}`, () => {
      const printed = execFileSync(process.execPath, [program], { cwd: place, encoding: "utf8" });
      assert.equal(printed.replaceAll(/ +$/gm, ""), output);
    });
  }
}

test("pages have programs", () => assert.ok(programs >= 7, String(programs)));
