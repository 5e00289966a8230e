/**
 * Verdicts by `adjudicate/verdict`, in Node and in Chromium, compared with those of the command.
 *
 * `ADJUDICATE_COMMAND` is the path of the command. Without it, the comparisons are skipped.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";

import { engineFile } from "./support/abi.mjs";
import { bothForms, install, root } from "./support/installed.mjs";
import { inPage, skip as skipPage } from "./support/page.mjs";
import { module as wasm } from "./support/wasm.mjs";

const folder = install();
const forms = await bothForms(folder);
const { createEngineSync, loadModule } = forms.import.main;
const { makeVerdict, openVerdict, verifyVerdict } = forms.import.verdict;
const engine = createEngineSync();
const COMMAND = env.ADJUDICATE_COMMAND;
const skip = COMMAND === undefined && "ADJUDICATE_COMMAND is not set";

const input = readFileSync(join(root, "..", "docs", "examples", "claim.json"), "utf8");
const policy = '{"policy": "house", "version": "1.0.0", "required_validators": ["unit-tests"]}';
const changes = JSON.parse(readFileSync(join(root, "..", "fixtures", "verdicts", "changes.json"), "utf8"));
const verdicts = [await makeVerdict(engine, "evaluate", input), await makeVerdict(engine, "evaluate", input, { policy })];
const sign = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
const keys = [`ed25519:${Buffer.from(await crypto.subtle.exportKey("raw", sign.publicKey)).toString("hex")}`];
const changed = await Promise.all(changes.map(changedVerdict));
const expected = changes.map(({ name, report, error, signature = "none" }) => (error === undefined ? [name, ...report, signature] : [name, error]));
const brief = ({ outcome, reason, difference, signature }) => [outcome, reason ?? null, difference?.path ?? null, signature.state];
/** An error as the command prints it. */
const printed = (error) => JSON.parse(JSON.stringify(error));
const row = (report, at) => [changes[at].name, ...(report.error?.code === undefined ? brief(report) : [report.error.code])];

/** Runs the command in the folder. Returns its output. */
function commanded(...words) {
  const { stdout, stderr } = spawnSync(COMMAND, words, { cwd: folder, encoding: "utf8" });
  return stdout || stderr;
}

/** Returns the verdict of a row of the table. `with` has the text of further fields of the input. */
async function changedVerdict({ policy: isRuled, with: more = "", signature, from, to }) {
  const options = { policy: isRuled ? policy : undefined, sign: signature === undefined ? undefined : sign };
  const text = await makeVerdict(engine, "evaluate", input.replace("{", `{${more}`), options);
  assert.ok(text.includes(from), from);
  return text.replace(from, () => to);
}

for (const [form, { main, verdict }] of Object.entries(forms)) {
  test(`a verdict is the same bytes until something is changed (${form})`, async () => {
    const own = main.createEngineSync();
    const reports = changed.map((text) => verdict.verifyVerdict(own, new TextEncoder().encode(text), { keys }).catch(printed));
    assert.deepEqual((await Promise.all(reports)).map(row), expected);
  });
}

test("verdicts are the same in Chromium", { skip: skipPage }, async () => {
  const result = await inPage(
    folder,
    "script-src 'self' 'wasm-unsafe-eval'",
    `import { createEngine } from "/index.js";
    import { makeVerdict, verifyVerdict } from "/verdict/index.js";
    const [input, policy, changed, keys] = ${JSON.stringify([input, policy, changed, keys])};
    try {
      const engine = await createEngine();
      const sign = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
      const signed = await makeVerdict(engine, "evaluate", input, { policy, sign });
      globalThis.result = {
        made: [await makeVerdict(engine, "evaluate", input), await makeVerdict(engine, "evaluate", input, { policy })],
        reports: await Promise.all([...changed, signed].map((text) => verifyVerdict(engine, text, { keys }).catch(({ code }) => ({ error: { code } })))),
      };
    } catch (error) {
      globalThis.result = String(error?.message ?? error);
    }`,
  );
  assert.deepEqual(result.made, verdicts, String(result));
  const signed = result.reports.pop();
  assert.deepEqual(result.reports.map(row), expected);
  assert.deepEqual(brief(signed), ["same_bytes", null, null, "untrusted"]);
});

test("verdicts and reports are those of the command", { skip }, async () => {
  writeFileSync(join(folder, "input.json"), input);
  writeFileSync(join(folder, "policy.json"), policy);
  assert.equal(commanded("verdict", "make", "input.json"), `${verdicts[0]}\n`);
  assert.equal(commanded("verdict", "make", "input.json", "--policy", "policy.json"), `${verdicts[1]}\n`);
  for (const [at, text] of changed.entries()) {
    writeFileSync(join(folder, "changed.json"), text);
    const report = JSON.parse(commanded("verdict", "verify", "changed.json"));
    assert.deepEqual(await verifyVerdict(engine, text).catch(printed), report, changes[at].name);
  }
});

test("a signature of either side is verified by the other", { skip }, async () => {
  execFileSync(COMMAND, ["keygen", "--out", "release"], { cwd: folder });
  const theirs = commanded("verdict", "make", "input.json", "--key", "release.key").trim();
  const { key } = JSON.parse(theirs).signature;
  const ours = await makeVerdict(engine, "evaluate", input, { sign });
  writeFileSync(join(folder, "ours.json"), ours);
  const { signature } = JSON.parse(commanded("verdict", "verify", "ours.json"));
  assert.deepEqual(signature, { state: "untrusted", key: JSON.parse(ours).signature.key });
  const last = theirs.lastIndexOf('"}}') - 1;
  const broken = theirs.slice(0, last) + (theirs[last] === "0" ? "1" : "0") + theirs.slice(last + 1);
  for (const [text, keys, state] of [
    [theirs, undefined, "untrusted"],
    [theirs, [], "untrusted"],
    [theirs, [key], "trusted"],
    [theirs, [signature.key], "untrusted"],
    [ours, [key.toUpperCase().replace("ED", "ed"), signature.key], "trusted"],
    [broken, [key], "broken"],
    [theirs.replace(key, "ed25519:00"), [key], "broken"],
    [theirs.replace(key, `ed25519:${"f".repeat(64)}`), [key], "broken"],
    [theirs.replace(key, `ed25519:01${"0".repeat(62)}`), [key], "broken"],
  ]) {
    const report = await verifyVerdict(engine, text, { keys });
    assert.deepEqual(brief(report), ["same_bytes", null, null, state], text.slice(-300));
  }
});

test("keys of small order sign nothing", async () => {
  const forged = (point, first) => {
    const signature = { key: `ed25519:${point}`, bytes: first.padEnd(128, "0") };
    return `${verdicts[0].slice(0, -1)},"signature":${JSON.stringify(signature)}}`;
  };
  for (const point of [`01${"0".repeat(62)}`, "0".repeat(64), `01${"0".repeat(60)}80`, `ee${"f".repeat(60)}7f`, `EC${"F".repeat(60)}FF`]) {
    const report = await verifyVerdict(engine, forged(point, "01"), { keys: [`ed25519:${point}`] });
    assert.equal(report.signature.state, "broken", point);
  }
});

test("a module decides its verdicts again", async () => {
  const module = await loadModule(readFileSync(engineFile));
  const text = await makeVerdict(engine, "evaluate", input, { policy, module });
  const { name, version } = module.manifest;
  assert.deepEqual(JSON.parse(text).module, { digest: module.digest, name, version });
  const unknown = ["cannot_be_decided_here", "unknown_module", null, "none"];
  assert.deepEqual(brief(await verifyVerdict(engine, text, { module })), ["same_bytes", null, null, "none"]);
  assert.deepEqual(brief(await verifyVerdict(engine, text)), unknown);
  assert.deepEqual(brief(await verifyVerdict(engine, verdicts[0], { module })), unknown);
  // The fault of a module tells nothing about a verdict.
  const faulty = await loadModule(wasm({ reply: "[" }));
  await assert.rejects(makeVerdict(engine, "evaluate", input, { module: faulty }), { code: "module_malformed_reply" });
});

test("a verdict is opened with its numbers as they are written", () => {
  const spelled = verdicts[1].replace('"input":{', '"input":{"x-note": 1.0, ');
  const parts = openVerdict(engine, spelled);
  assert.equal(parts.operation, "evaluate");
  assert.ok(parts.input.startsWith('{"x-note":1.0,"run_id"'), parts.input.slice(0, 60));
  assert.deepEqual(JSON.parse(parts.policy), JSON.parse(policy));
  assert.equal(openVerdict(engine, verdicts[0]).policy, undefined);
  // The call of another version is not joined.
  const later = verdicts[1].replace('"operation":"evaluate"', '"operation":"check_policy"').replace('"adjudicate","version":"0', '"adjudicate","version":"9');
  assert.equal(openVerdict(engine, later).operation, "check_policy");
});

test("wrong calls and texts are errors", async () => {
  const freed = createEngineSync();
  freed.dispose();
  for (const [run, code] of [
    [() => makeVerdict({}, "evaluate", input), "wrong_usage"],
    [() => makeVerdict(freed, "evaluate", input), "wrong_usage"],
    [() => makeVerdict(engine, "guess", input), "unsupported_operation"],
    [() => makeVerdict(engine, "evaluate", {}), "wrong_usage"],
    [() => makeVerdict(engine, "evaluate", "{}"), "missing_field"],
    [() => makeVerdict(engine, "evaluate", input, { policy: "[" }), "malformed_json"],
    [() => makeVerdict(engine, "deliberate", "{}", { policy }), "invalid_value"],
    [() => makeVerdict(engine, "evaluate", input.replace("{", `{"x-large":"${"a".repeat(8_387_000)}",`), { policy }), "limit_exceeded"],
    [() => makeVerdict(engine, "evaluate", `{"envelope":${input.replace("{", `{"x-deep":${"[".repeat(127)}${"]".repeat(127)},`)}}`), "limit_exceeded"],
    [() => makeVerdict(engine, "evaluate", `{"envelope":${input},"policy":${policy}}`, { policy }), "invalid_value"],
    [() => makeVerdict(engine, "evaluate", input, { sign: {} }), "wrong_usage"],
    [() => makeVerdict(engine, "evaluate", input, { module: {} }), "wrong_usage"],
    [() => verifyVerdict(engine, ""), "malformed_json"],
    [() => verifyVerdict(engine, input), "unknown_field"],
    [() => verifyVerdict(engine, verdicts[0].replace('"verdict":1', '"verdict":2')), "invalid_value"],
    [() => verifyVerdict(engine, verdicts[0], { keys: ["ed25519:0"] }), "wrong_usage"],
    [() => verifyVerdict(engine, verdicts[0], { keys: [1] }), "wrong_usage"],
    [() => verifyVerdict(freed, verdicts[0]), "wrong_usage"],
    [async () => openVerdict(engine, "{}"), "missing_field"],
  ]) {
    await assert.rejects(run, { name: "AdjudicateError", code }, String(run));
  }
});
