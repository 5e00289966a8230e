/**
 * Thousands of hostile calls of a gate, by seed. A gate is never more permissive than the engine about the same files, whose paths a model in
 * this file resolves. The gate throws nothing, and allows nothing unknown.
 *
 * `ADJUDICATE_SEED` selects other cases, `ADJUDICATE_CASES` their number.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { env } from "node:process";

import { envelope } from "./support/envelope.mjs";
import { call, done, step } from "./support/gate.mjs";
import { bothForms, install } from "./support/installed.mjs";
import { placedFiles } from "./support/placed.mjs";
import { plausible, polluting } from "./support/polluted.mjs";
import { random } from "./support/random.mjs";

const { main, ai } = (await bothForms(install())).import;
const { AdjudicateError, createGate } = ai;
const engine = main.createEngineSync();
const SEED = Number(env.ADJUDICATE_SEED ?? 21);
const GATES = Number(env.ADJUDICATE_CASES ?? 3000) / 100;

const ROOTS = [undefined, "/", "/home/me/repo", "/home/me/repo/", "/w", "C:\\code\\repo", "c:/", "/Home//Me"];
const LISTS = [[], ["deploy/**"], ["deploy"], ["db/"], ["*.pem"], ["**/secret/*"], ["{deploy,db}/**"], ["src/*/a"], ["**"], ["Deploy/**", "*.PEM"]];
const SEGMENTS = [
  ...["deploy", "Deploy", "db", "src", "a", "b.pem", "secret", "repo", "REPO", "home", "me", "w", "code", "Ωmega"],
  ...["..", "..", ".", "", "~", "~me", "C:", "c:", "file:", "...", " ", "a b", "deploy.", "a\\b", "\\", "a\0", "a\n", "\u007f", "*", "{a,b}", "é", "\u{1f680}"],
];
const STARTS = ["", "", "", "/", "//", "///", "./", "../", "~/", "C:\\", "c:/", "C:", "\\\\?\\C:\\", "file:///", "https://host/"];
const HUGE = `${"a/".repeat(20_000)}b`;

function pathOf({ one, some, often }, root) {
  if (often(0.005)) return HUGE;
  const inside = root !== undefined && often(0.5);
  const start = inside ? (often(0.15) ? root.toUpperCase() : root) : one(STARTS);
  const names = some(5, () => one(SEGMENTS));
  const rest = names.join(often(0.1) ? "\\" : "/") + (often(0.15) ? "/" : "");
  return inside ? `${start}${often(0.95) ? "/" : ""}${rest}` : start + rest;
}

/** Values that are not paths. */
const ODD = [
  ...[undefined, null, 0, true, 1n, {}, [], ["src/a"], () => "src/a", Symbol("a"), "\ud800", Number.NaN, new Date(0), new Map()],
  ...[{ toString: () => "src/a" }, new String("src/a"), { toJSON: () => "src/a" }],
];

/** Returns a list of changed files, sometimes with invalid entries. */
function filesOf(choices, root) {
  const { one, some, often } = choices;
  const fileOf = () => {
    const change = one(["added", "modified", "deleted", "renamed"]);
    const file = { path: pathOf(choices, root), change };
    if (change === "renamed" && often(0.9)) file.from = pathOf(choices, root);
    if (often(0.3)) file.kind = one(["file", "directory"]);
    if (often(0.03)) file[one(["path", "from", "kind", "change", "insertions", "more"])] = one(ODD);
    if (often(0.02)) delete file[one(["path", "change"])];
    return file;
  };
  const files = [fileOf(), ...some(2, fileOf)];
  if (often(0.02)) files.push(one(ODD));
  if (often(0.01)) files.length += 1;
  return files;
}

/** Returns the options of a gate, and the equivalent policies for the engine. */
function settingsOf({ one, often }) {
  const root = one(ROOTS);
  const isParsed = often(0.2);
  const isThere = isParsed || often(0.9);
  // The gate or the document has the fields about paths. A gate cannot add `path_case` to a parsed policy.
  const isOfDocument = isThere && often(0.3);
  const fields = { outside: one([undefined, undefined, "refuse", "ask", "allow"]) };
  if (isOfDocument || !isParsed) fields.path_case = one([undefined, "sensitive", "ascii_insensitive"]);
  const given = JSON.parse(JSON.stringify(fields));
  const document = { policy: "p", version: "1.0.0", forbidden_paths: one(LISTS), protected_paths: one(LISTS), required_validators: [], ...(isOfDocument && given) };
  const policy = isThere ? (isParsed ? engine.policy(document) : document) : one([undefined, null]);
  const refuses = isOfDocument || (given.outside ?? "refuse") === "refuse";
  // With a parsed policy, or without any, the gate also evaluates the workspace policy.
  const asked = (isParsed || !isThere) && refuses ? [{ policy: "w", version: "1.0.0", outside: "refuse" }] : [];
  if (isThere) asked.push(isParsed ? document : { ...document, outside: "refuse", ...given });
  const options = { callPolicy: policy, stepPolicy: policy ?? { policy: "p", version: "1.0.0", required_validators: [] }, ...(!isOfDocument && given) };
  return { root, options: { ...options, root }, asked, isInsensitive: options.path_case === "ascii_insensitive" };
}

const RANKS = { allow: 0, ask: 1, deny: 2 };
const ACTIONS = { success: "allow", needs_human: "ask" };

/** Returns the engine's own action for files: the strictest of the policies. */
function decided(files, { root, asked, isInsensitive }) {
  const actions = asked.map((policy) => {
    try {
      const diff = { files: placedFiles(files, root, isInsensitive) };
      const evidence = { ...envelope().evidence, workspace_diff_summary: "", diff, required_validators: [] };
      return ACTIONS[engine.evaluate(envelope({ evidence }), { policy }).decision.status] ?? "deny";
    } catch (error) {
      assert.ok(error instanceof main.AdjudicateError, String(error));
      return "deny";
    }
  });
  return actions.reduce((left, right) => (RANKS[right] > RANKS[left] ? right : left), "allow");
}

test("a gate is never more permissive than the engine about the files, where the model places them", async () => {
  const choices = random(SEED);
  const counts = { allow: 0, ask: 0, deny: 0, stricter: 0, stopped: 0 };
  const members = plausible(engine);
  // The functions of a tool are not part of the gate.
  for (const name of ["files", "path", "from", "change", "kind"]) delete members[name];
  for (let made = 0; made < GATES; made++) {
    const settings = settingsOf(choices);
    const tools = { change: { changes: ({ files }) => files } };
    const gate = await createGate(engine, { tools, ...settings.options });
    for (let asked = 0; asked < 100; asked++) {
      const files = filesOf(choices, settings.root);
      const toolCall = call("change", { files });
      const judge = async () => [await gate.judgeCall(toolCall), await gate.judgeSteps([step(done(toolCall, "ok"))])];
      const [{ action }, { action: then }] = await (choices.often(0.1) ? polluting(Object.prototype, members, judge) : judge());
      const expected = decided(files, settings);
      const what = () => `seed ${SEED}, gate ${made}, call ${asked}: ${show(files)} by ${show(settings.options)}`;
      assert.ok(RANKS[action] >= RANKS[expected], `${action} instead of ${expected}: ${what()}`);
      assert.ok(then === "stop" || expected === "allow", `${then} instead of stop: ${what()}`);
      counts[action]++;
      if (action !== expected) counts.stricter++;
      if (then === "stop") counts.stopped++;
    }
  }
  const cases = GATES * 100;
  assert.ok(counts.allow > cases / 20 && counts.ask > cases / 50 && counts.deny > cases / 5, JSON.stringify(counts));
  assert.equal(counts.stricter, 0, JSON.stringify(counts));
  assert.ok(counts.stopped >= cases - counts.allow && counts.stopped < cases, JSON.stringify(counts));
});

/** Returns any value. */
function junk(choices, depth = 0) {
  const { one, some, often } = choices;
  if (depth > 3 || often(0.3)) return one([...ODD, "change", "write", "tool-call", "tool-result", "stop", "1", HUGE, "__proto__", "constructor"]);
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const broken = () => {
    throw one([new Error("mine"), undefined, "mine"]);
  };
  const keys = ["toolName", "toolCallId", "input", "toolCall", "steps", "content", "type", "messages", "tool", "args", "name", "finishReason", "tools", "usage", "performance", "role", "approved", "length", "then", "toJSON"];
  const object = Object.fromEntries(some(6, () => [one(keys), junk(choices, depth + 1)]));
  // A thenable is not part of a call.
  if (typeof object.then === "function") delete object.then;
  return one([
    () => object,
    () => some(4, () => junk(choices, depth + 1)),
    () => Object.assign(Object.create(object), { toolName: "change" }),
    () => new Proxy(object, { get: often(0.5) ? broken : Reflect.get, ownKeys: often(0.3) ? broken : Reflect.ownKeys }),
    () => revoked.proxy,
    () => step([object]),
    () => ({ toolName: "change", toolCallId: "1", input: object }),
  ])();
}

test("a gate denies hostile calls, and throws no error", async () => {
  const choices = random(SEED + 1);
  const tools = { change: { changes: (input) => input.files } };
  const gate = await createGate(engine, { tools, callPolicy: { policy: "p", version: "1.0.0", forbidden_paths: ["deploy/**"] } });
  const ran = [];
  const { change } = gate.guard({ change: { execute: (input) => ran.push(input) } });
  for (let asked = 0; asked < GATES * 10; asked++) {
    const [first, second] = [junk(choices), junk(choices)];
    const what = `seed ${SEED}, case ${asked}`;
    assert.equal((await gate.judgeCall(first, second)).action, "deny", what);
    assert.equal((await gate.toolApproval(first)).type, "denied", what);
    assert.equal((await gate.judgeSteps(first)).action, "stop", what);
    assert.equal(await gate.stopWhen(first), true, what);
    const prepared = await gate.prepareStep(first);
    assert.deepEqual(prepared?.activeTools, isAtStart(first) ? undefined : [], what);
    await assert.rejects(async () => change.execute(first, second), { code: "call_denied" }, what);
    const decision = await gate.client.evaluate("adjudicate/call", first).then((answer) => answer.decision, refusal);
    assert.equal(decision, "deny", what);
    await assert.rejects(gate.client.evaluate(first, second), AdjudicateError, what);
  }
  assert.deepEqual(ran, []);
  assert.equal((await gate.judgeSteps(new Array(4_000_000_000))).action, "stop");
});

/** Returns true if there is no step yet. */
function isAtStart(next) {
  try {
    return Array.isArray(next.steps) && Object.hasOwn(next, "steps") && next.steps.length === 0;
  } catch {
    return false;
  }
}

function refusal(error) {
  assert.ok(error instanceof AdjudicateError, String(error));
  return "deny";
}

function show(value) {
  const plain = (_, member) => (typeof member === "string" ? member.slice(0, 100) : ["bigint", "symbol", "function"].includes(typeof member) ? String(member) : member);
  return JSON.stringify(value, plain);
}
