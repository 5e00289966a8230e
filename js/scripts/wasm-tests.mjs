/**
 * Runs a wasm-bindgen-test binary in Chromium, without a WebDriver:
 * `node scripts/wasm-tests.mjs COMMAND [ARGUMENT...]`.
 *
 * The command is `cargo test ...` of one test binary with wasm-bindgen's runner. With `NO_HEADLESS`, the runner serves a page that runs the
 * tests. This script opens the page, prints its output, and exits with 0 if all tests pass.
 */
import { spawn } from "node:child_process";
import { argv, env, exit, kill } from "node:process";

import { withPage } from "./browser.mjs";

const [command, ...parameters] = argv.slice(2);
if (command === undefined) throw new Error("usage: wasm-tests.mjs COMMAND [ARGUMENT...]");

const server = spawn(command, parameters, {
  // A separate process group, so that the runner that cargo starts ends with it.
  detached: true,
  env: { ...env, NO_HEADLESS: "1", WASM_BINDGEN_USE_BROWSER: "1", WASM_BINDGEN_TEST_ADDRESS: "127.0.0.1:0" },
  stdio: ["ignore", "pipe", "inherit"],
});

let passed = false;
try {
  passed = await runTests(await address());
} finally {
  if (server.exitCode === null) kill(-server.pid);
}
exit(passed ? 0 : 1);

/** Returns the URL of the page when the runner prints it. */
function address() {
  return new Promise((resolve, reject) => {
    let output = "";
    server.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const found = /available at (http:\/\/\S+)/.exec(output);
      if (found !== null) resolve(found[1]);
    });
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`the test command ended (${code}) before it served a page:\n${output}`)));
  });
}

function runTests(url) {
  return withPage(async (page) => {
    await page.goto(url);
    const output = page.locator("#output");
    await output.filter({ hasText: "test result: " }).waitFor({ state: "attached", timeout: 120_000 });
    const text = await output.textContent();
    console.log(text);
    return text.includes("test result: ok");
  });
}
