/** The packed package in an application of Next.js: a page, and a route on each of its runtimes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { EVERYTHING, WITHOUT_WORKERS, comparable } from "../support/given.mjs";
import { reportAt } from "../support/page.mjs";
import { run, serving } from "../support/programs.mjs";
import { project } from "../support/work.mjs";

const tools = fileURLToPath(new URL(".", import.meta.url));

/** Next's own scripts are inline, so the policy allows these. The engine needs no more than elsewhere. */
const POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'";

test("Next.js: a page, a route in Node, and a route on the edge runtime", async () => {
  const folder = project(tools, "next");
  await run(tools, folder, ["next", "build"]);
  await serving(tools, folder, ["next", "start", "--hostname", "127.0.0.1", "--port", "0"], async (address) => {
    const route = async (runtime) => comparable(await (await fetch(`${address}/api/${runtime}`)).json());
    assert.deepEqual(await route("node"), EVERYTHING);
    assert.deepEqual(await route("edge"), WITHOUT_WORKERS);
    assert.deepEqual(comparable(await reportAt(address, POLICY)), EVERYTHING);
  });
});
