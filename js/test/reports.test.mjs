/** The corpus of reports: the reader of the package reads each report as the native reader does. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { bothForms, install, root } from "./support/installed.mjs";

const { readReport } = (await bothForms(install())).import.collect;

const fixtures = join(root, "..", "fixtures", "reports");
const formats = readdirSync(fixtures).filter((name) => name.endsWith(".json")).map((name) => name.replace(".json", ""));
const reports = formats.flatMap((format) => {
  const { cases } = JSON.parse(readFileSync(join(fixtures, `${format}.json`), "utf8"));
  return cases.map(({ name, file, answer }) => ({ format, name: `${format}/${name}`, bytes: readFileSync(join(root, "..", file)), answer }));
});

test("the package reads each report", async () => {
  assert.ok(formats.length >= 8 && reports.length >= 100, `${reports.length} reports of ${formats.length} formats`);
  for (const { format, name, bytes, answer } of reports) {
    const reading = await readReport(bytes, { format }).catch(({ code, message, path }) => ({ error: { code, message, path } }));
    assert.deepEqual(reading, answer, name);
  }
});
