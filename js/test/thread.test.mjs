/** Workers that fail to start, on a platform with the workers of a page. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { bothForms, install } from "./support/installed.mjs";
import { module as wasm } from "./support/wasm.mjs";

const forms = await bothForms(install());

/** Loads a module as a page would, with workers of this class. */
async function inPage(loadModule, Worker, whileLoading) {
  const { type, Worker: original } = { type: process.type, Worker: globalThis.Worker };
  process.type = "renderer";
  globalThis.Worker = Worker;
  try {
    const loading = loadModule(wasm({}), { deadlineMs: 1000, workerUrl: "https://example.org/other.js" });
    await Promise.all([whileLoading(), assert.rejects(loading, { code: "host_fault", message: Worker.reason })]);
  } finally {
    process.type = type;
    globalThis.Worker = original;
  }
}

for (const [form, { main }] of Object.entries(forms)) {
  test(`a script that never reports its start fails with an error (${form})`, async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let ended = 0;
    class Silent {
      static reason = /did not start within 60 s; its script is not `adjudicate\/worker\.js`/;
      postMessage() {}
      terminate() {
        ended += 1;
      }
    }
    try {
      await inPage(main.loadModule, Silent, async () => {
        // The mocked clock does not cover the asynchronous work before the worker starts.
        for (let turn = 0; ended === 0 && turn < 100_000; turn += 1) {
          await new Promise(setImmediate);
          mock.timers.tick(60_000);
        }
      });
    } finally {
      mock.timers.reset();
    }
    assert.equal(ended, 1);
  });

  test(`a script that cannot be loaded is reported at once, and no timer is left (${form})`, async () => {
    class Missing {
      static reason = /its script could not be loaded/;
      constructor() {
        setImmediate(() => this.onerror({ message: "" }));
      }
      terminate() {}
    }
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await inPage(main.loadModule, Missing, async () => undefined);
    assert.equal(timers(), before);
  });
}
