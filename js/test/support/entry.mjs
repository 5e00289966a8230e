/** The properties of a gate in every SDK, in whole runs with mock models. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { closing, failingJudge } from "./gate.mjs";

const REMOVAL = ["1", "shell", { command: "rm a" }];

/**
 * Declares the tests of an entry.
 *
 * @param start Begins a run with the options of a gate, and maybe another judge. The turns of its model are lists of calls: the id, the tool and
 * the input. It returns the calls that `ran`, the verdicts that were `heard`, and functions. `go` runs until `ends`, `waits` or `stops`, which it
 * returns. So does `answer`, which approves or rejects the waiting call. `sent` returns what the model got last, as text.
 */
export function entryTests(name, engine, start) {
  test(`${name}: allowed calls run, denied ones do not, and the model gets the reason`, async () => {
    const turn = [["1", "read_file", { path: "a" }], ["2", "write_file", { path: "deploy/a" }], ["3", "mail", {}]];
    const { ran, heard, go, sent } = await start([turn]);
    assert.equal(await go(), "ends");
    assert.deepEqual(ran, [["read_file", { path: "a" }]]);
    for (const words of ["deploy/a", "unknown tool `mail`"]) assert.ok(sent().includes(words), sent());
    // The denied calls did not run, so they are no changes.
    assert.equal(heard.filter(({ about }) => about === "step").at(-1).action, "continue");
  });

  test(`${name}: a call waits for a human, and the answer counts`, async () => {
    for (const approved of [true, false]) {
      const { ran, go, answer } = await start([[REMOVAL]]);
      assert.equal(await go(), "waits");
      assert.deepEqual(ran, []);
      assert.equal(await answer(approved), "ends");
      assert.deepEqual(ran, approved ? [["shell", { command: "rm a" }]] : []);
    }
  });

  test(`${name}: an approved call that the policy denies in the meantime does not run`, async () => {
    const { options, close } = closing();
    const { ran, go, answer } = await start([[REMOVAL]], options);
    assert.equal(await go(), "waits");
    close();
    await answer(true);
    assert.deepEqual(ran, []);
  });

  test(`${name}: an engine that fails during a run allows nothing`, async () => {
    const { judge, fail } = failingJudge(engine);
    const { ran, go } = await start([[["1", "shell", { command: "ls" }], ["2", "write_file", { path: "a" }]]], {}, judge);
    fail();
    assert.equal(await go(), "stops");
    assert.deepEqual(ran, []);
  });
}
