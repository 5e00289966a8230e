/** The corpus of reports: the reader of the package in Node, and its module in Chromium, read each report as the native reader does. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { bothForms, install, root } from "./support/installed.mjs";
import { inPage, skip } from "./support/page.mjs";

const folder = install();
const { readReport } = (await bothForms(folder)).import.collect;

const fixtures = join(root, "..", "fixtures", "reports");
const formats = readdirSync(fixtures).filter((name) => name.endsWith(".json")).map((name) => name.replace(".json", ""));
const reports = formats.flatMap((format) => {
  const { cases } = JSON.parse(readFileSync(join(fixtures, `${format}.json`), "utf8"));
  return cases.map(({ name, file, answer }) => ({ format, name: `${format}/${name}`, bytes: readFileSync(join(root, "..", file)), answer }));
});

test("the package reads each report in Node", async () => {
  assert.ok(formats.length >= 8 && reports.length >= 100, `${reports.length} reports of ${formats.length} formats`);
  for (const { format, name, bytes, answer } of reports) {
    const reading = await readReport(bytes, { format }).catch(({ code, message, path }) => ({ error: { code, message, path } }));
    assert.deepEqual(reading, answer, name);
  }
});

test("the module reads each report in Chromium", { skip }, async () => {
  const files = Object.fromEntries(reports.map(({ bytes }, index) => [`/report-${index}`, bytes]));
  const read = await inPage(
    folder,
    "script-src 'self' 'wasm-unsafe-eval'",
    `import { reportReader } from "/report-reader.mjs";
    const read = await reportReader(await WebAssembly.compileStreaming(fetch("/collect.wasm")));
    const readings = [];
    for (const [index, format] of ${JSON.stringify(reports.map(({ format }) => format))}.entries()) {
      readings.push(read(new Uint8Array(await (await fetch(\`/report-\${index}\`)).arrayBuffer()), format));
    }
    globalThis.result = readings;`,
    (url) => (url === "/report-reader.mjs" ? readFileSync(join(root, "test", "support", "report-reader.mjs")) : files[url]),
  );
  assert.equal(read.length, reports.length);
  reports.forEach(({ name, answer }, index) => assert.deepEqual(JSON.parse(read[index]), answer, name));
});
