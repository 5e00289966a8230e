/**
 * The interceptor in the conformance vectors of AGENT-HOOKS 0.1.
 *
 * The vectors test hosts. So a small host runs each scenario, with guardrails that decide like the script of the vector. A vector applies if its
 * script has one interceptor whose decisions this interceptor makes. In all other scenarios, only the forms of contexts and verdicts are
 * checked. The reasons are those of this interceptor, not those of the scripts.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";

import { Validator } from "@cfworker/json-schema";

import { host } from "./support/agent-hooks-host.mjs";
import { PLAIN_POLICY } from "./support/gate.mjs";
import { bothForms, install, root } from "./support/installed.mjs";

const suite = join(env.ADJUDICATE_SUITES ?? join(root, "..", "..", "shared", "suites"), "agent-hooks");
const isHere = existsSync(suite);
const missing = isHere ? false : `no suite in ${suite}; set ADJUDICATE_SUITES`;
if (!isHere) assert.notEqual(env.CI, "true", missing);

const { main, hooks } = (await bothForms(install())).import;
const engine = main.createEngineSync();
const read = (...path) => JSON.parse(readFileSync(join(suite, ...path), "utf8"));
const vectors = isHere ? readdirSync(join(suite, "conformance", "vectors")).sort().map((file) => read("conformance", "vectors", file)) : [];

/** The vectors that apply. All others need more of a host, or decisions that this interceptor does not make. */
const APPLIES = ["001", "002", "003", "010", "012", "031", "032", "040", "100"];

/** Returns the reason why a vector does not apply, or `undefined`. */
function reasonAgainst({ capabilities, interceptor_script: script, expect, approval_script = [] }) {
  if (capabilities.some((name) => !["model_calls", "tool_calls"].includes(name))) return "streaming and large integers belong to the host";
  if (script === undefined) return "the composition of several interceptors belongs to the host";
  if (script.some(({ fault }) => fault !== undefined)) return "this interceptor has no such fault";
  if (script.some(({ return: { decision } }) => decision === "transform")) return "this interceptor never transforms";
  if (script.some(({ return: { evidence, warnings } }) => evidence ?? warnings)) return "this interceptor has other evidence, and no warnings before a call";
  if (script.some(({ at, return: { decision } }) => decision === "deny" && ["agent_startup", "input"].includes(at))) return "no policy decides about starts and inputs";
  if (expect.run_outcome_by_posture ?? expect.records?.some(({ assert: found = {} }) => String(found["verdict.reason"]).startsWith("host_error:"))) return "the denials of a host";
  if (approval_script.some(({ resolve }) => resolve.outcome !== "reject")) return "the approval seam belongs to the host";
  if (expect.identities_equal === undefined && expect.records?.some(({ assert: found = {} }) => "input_identity" in found || "identity_provider" in found)) return "identities belong to the host";
  if (script.length === 0 && expect.records) return "a host without interceptors";
  return undefined;
}

/** Returns the options of an interceptor that decides like a script. */
function optionsFor({ scenario, interceptor_script: script = [] }) {
  const tools = Object.fromEntries((scenario.tools ?? []).map(({ name }) => [name, { changes: () => [] }]));
  const guardrails = script.flatMap(({ at, match = {}, return: { decision, reason, approval } }, index) => {
    if (decision !== "deny") return [];
    const id = `rule-${index}`;
    const action = approval === undefined ? { type: "fail", message: reason } : { type: "hitl", rationale: reason };
    if (at === "output") return [{ id, trigger: { kind: "onMetricBelow", metric: "calls", threshold: 1 }, action }];
    const conditions = Object.entries(match).map(([path, value]) => ({ "==": [{ var: { "tool_call.name": "tool", "tool_result.value": "output" }[path] }, value] }));
    const condition = conditions.length === 0 ? {} : { condition: { and: conditions } };
    return [{ id, trigger: { kind: at === "pre_tool_call" ? "onStart" : "onNodeComplete", ...condition }, action }];
  });
  return { tools, guardrails, stepPolicy: PLAIN_POLICY };
}

/** Returns a function that validates by one of the published schemas. */
function validatorOf(...path) {
  const validator = new Validator(read("spec", "schema", ...path), "2020-12", false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    assert.ok(valid, `${JSON.stringify(value)} ${JSON.stringify(errors)}`);
  };
}

const pointOf = ({ context }) => context.interception_point;
const at = (value, path) => path.split(/[.[\]]+/).filter(Boolean).reduce((found, key) => found?.[key], value);

/** Checks the expectations of a vector that do not depend on the words of reasons. */
function check({ expect }, { seen, invoked, run_outcome, final_output }) {
  const rest = [...seen];
  for (const { interception_point, context = {}, context_must_contain: words = [], context_must_not_contain: absent = [] } of expect.interceptions) {
    const index = rest.findIndex((one) => pointOf(one) === interception_point && words.every((word) => JSON.stringify(one.context).includes(word)));
    assert.notEqual(index, -1, interception_point);
    const [found] = rest.splice(0, index + 1).slice(-1);
    for (const [path, value] of Object.entries(context)) assert.deepEqual(at(found.context, path), value, path);
    for (const word of absent) assert.ok(!JSON.stringify(found.context).includes(word), word);
  }
  const points = seen.map(pointOf);
  if (expect.sequence_strict) assert.deepEqual(points, expect.interceptions.map((one) => one.interception_point));
  for (const point of expect.interceptions_absent ?? []) assert.ok(!points.includes(point), point);
  for (const name of expect.tool_not_invoked ?? []) assert.ok(invoked.every((call) => call.name !== name), name);
  if (expect.tool_invocations) assert.deepEqual(invoked, expect.tool_invocations);
  for (const { interception_point, assert: wanted = {} } of expect.records ?? []) {
    const { verdict } = seen.find((one) => pointOf(one) === interception_point);
    if ("verdict.decision" in wanted) assert.equal(verdict.decision, wanted["verdict.decision"]);
  }
  return { run_outcome, final_output };
}

test("the suite has its vectors, and the page a reason for each", { skip: missing }, () => {
  assert.equal(vectors.length, 51);
  const applying = vectors.filter((vector) => reasonAgainst(vector) === undefined).map(({ id }) => id.replace("AH-CTK-", ""));
  assert.deepEqual(applying, APPLIES);
  const numbers = new Map();
  for (const vector of vectors) {
    const reason = reasonAgainst(vector) ?? "applies";
    numbers.set(reason, [...(numbers.get(reason) ?? []), vector.id.replace("AH-CTK-", "")]);
  }
  const page = readFileSync(join(root, "..", "docs", "reference", "agent-hooks.md"), "utf8");
  const rows = [...page.matchAll(/^\| ([0-9]{3}(?: [0-9]{3})*) \| (.*) \|$/gm)].map(([, listed, reason]) => [reason, listed]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries([...numbers].map(([reason, ids]) => [reason, ids.join(" ")])));
});

for (const vector of vectors.filter((one) => reasonAgainst(one) === undefined)) {
  const { id, title, expect, scenario, mode, interceptor_script: script } = vector;
  test(`${id}: ${title}`, async () => {
    const interceptor = await hooks.createInterceptor(engine, optionsFor(vector));
    const run = await host(interceptor, scenario, { mode });
    const found = check(vector, run);
    // After a result that a guardrail forbids, the run must stop, so this interceptor also denies the output.
    const isStopped = script.some((rule) => rule.at === "post_tool_call");
    assert.equal(found.run_outcome, isStopped ? "blocked" : expect.run_outcome);
    if ("final_output" in expect) assert.equal(found.final_output, expect.final_output);
    if (script.some((rule) => rule.return?.approval)) assert.ok(run.seen.some(({ verdict }) => verdict.approval !== undefined));
  });
}

test("contexts and verdicts of every scenario are valid by the published schemas", { skip: missing }, async () => {
  const verdict = validatorOf("verdict.schema.json");
  const contexts = Object.fromEntries(readdirSync(join(suite, "spec", "schema", "agent-context")).map((file) => [file.split(".")[0], validatorOf("agent-context", file)]));
  const reasons = new Set();
  let count = 0;
  for (const vector of vectors) {
    const tools = Object.fromEntries((vector.scenario.tools ?? []).map(({ name }) => [name, {}]));
    const ask = { id: "ask", trigger: { kind: "onStart" }, action: { type: "hitl", rationale: "r" } };
    const stop = { id: "stop", trigger: { kind: "onNodeComplete" }, action: { type: "fail", message: "f" } };
    const failing = { ...PLAIN_POLICY, required_validators: ["tests"] };
    for (const options of [{ tools, stepPolicy: PLAIN_POLICY }, { tools }, { tools: {} }, { tools, guardrails: [ask] }, { tools, guardrails: [stop], stepPolicy: failing }, { tools, callPolicy: { ...PLAIN_POLICY, forbidden_paths: ["**"] } }]) {
      for (const mode of ["enforce", "evaluate_only"]) {
        const { seen } = await host(await hooks.createInterceptor(engine, options), vector.scenario, { mode });
        for (const one of seen) {
          contexts[pointOf(one)](one.context);
          verdict(one.verdict);
          assert.ok(JSON.stringify(one.verdict.evidence ?? {}).length <= 10_240);
          reasons.add(one.verdict.reason ?? one.verdict.warnings?.[0].reason ?? "");
          count++;
        }
      }
    }
  }
  assert.ok(count > 3_000, `${count}`);
  assert.ok(["", "adjudicate:guardrail", "adjudicate:needs_human", "adjudicate:unknown_tool"].every((reason) => reasons.has(reason)), [...reasons].join());
});

test("no reason of the interceptor is reserved for hosts", { skip: missing }, () => {
  const text = JSON.stringify(read("spec", "reserved-reasons.json"));
  assert.match(text, /host_error:/);
  assert.doesNotMatch(text, /adjudicate:|runtime_error:/);
});
