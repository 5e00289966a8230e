import assert from "node:assert/strict";
import { test } from "node:test";

import type { Engine } from "adjudicate";

import { shown } from "../src/json.js";
import { Variables } from "../src/variables.js";
import { answersOf, callsOf, engine, language } from "./support/repository.js";

const known = language();
const terms = async (variables: Variables, envelope: string, policy: string) =>
  new Map((await variables.terms(envelope, policy)).map((term) => [term.name, term]));

/** Returns the variables of an engine. */
function variablesOf(engine: Engine): Variables {
  const answers = answersOf(engine);
  return new Variables(known, () => (documents) => answers.facts(documents));
}

/** Returns a call of the corpus as two texts. */
function documents(text: string): { envelope: string; policy: string } {
  const call = JSON.parse(text) as Record<string, unknown>;
  const isCall = Object.hasOwn(call, "envelope");
  const policy = isCall ? (call["policy"] ?? undefined) : undefined;
  return { envelope: JSON.stringify(isCall ? call["envelope"] : call), policy: policy === undefined ? "" : JSON.stringify(policy) };
}

/** The calls of the corpus that have an answer. */
const ANSWERED = [...callsOf("facts")].filter(([, text]) => {
  try {
    return engine.callText("facts", text) !== "";
  } catch {
    return false;
  }
});

test("every variable of the corpus has the state and the value of the engine's answer", async () => {
  const variables = variablesOf(engine);
  let count = 0;
  for (const [name, text] of ANSWERED) {
    const { envelope, policy } = documents(text);
    const found = await terms(variables, envelope, policy);
    const answer = engine.facts(JSON.parse(envelope), policy === "" ? {} : { policy: JSON.parse(policy) });
    for (const { variable, state, value } of answer.variables) {
      const now = { known: shown(value), unknown: "unknown", omitted: "known, but too large to show" }[state];
      assert.equal(found.get(variable)?.now, now, `${name}: ${variable}`);
      count += 1;
    }
  }
  assert.ok(count > 1000, `${count}`);
});

const RULE = (variable: string) => ({ id: "a", when: { "==": [{ var: variable }, 3] }, then: { status: "blocked", summary: "s" } });
const policyOf = (variable: string) => JSON.stringify({ policy: "p", version: "1.0.0", rules: [RULE(variable)] });
const [FIRST] = ANSWERED;
const ENVELOPE = JSON.stringify({ ...JSON.parse(documents(FIRST?.[1] ?? "").envelope), "x-score": 3 });

test("a variable of a condition keeps its value while the policy is invalid", async () => {
  const variables = variablesOf(engine);
  const policy = policyOf("input.x-score");
  assert.equal((await terms(variables, ENVELOPE, "")).get("input.x-score")?.now, undefined);
  assert.equal((await terms(variables, ENVELOPE, policy)).get("input.x-score")?.now, "3");
  for (const broken of [policy.slice(0, -3), policy.replace("input.x-score", "facts.")]) {
    assert.equal((await terms(variables, ENVELOPE, broken)).get("input.x-score")?.now, "3", broken);
    const other = ENVELOPE.replace('"x-score":3', '"x-score":4');
    assert.equal((await terms(variables, other, broken)).get("input.x-score")?.now, "4", broken);
  }
});

test("without a valid envelope and without an engine, variables have no value", async () => {
  const isPlain = (list: readonly { now?: string }[]) => list.length > 0 && list.every(({ now }) => now === undefined);
  const variables = variablesOf(engine);
  await variables.terms(ENVELOPE, "");
  assert.ok(isPlain(await variables.terms(`${ENVELOPE}x`, "")));
  assert.ok(isPlain(await variables.terms("{}", "")));
  assert.ok(isPlain(await new Variables(known, () => undefined).terms(ENVELOPE, "")));
});

test("the engine answers once for the same documents, and parses the policy once for several envelopes", async () => {
  const calls: string[] = [];
  const counting = new Proxy(engine, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      return typeof method === "function" ? (...given: unknown[]) => (calls.push(String(name)), method.apply(target, given)) : method;
    },
  }) as Engine;
  const variables = variablesOf(counting);
  const policy = policyOf("facts.diff.count");
  for (let round = 0; round < 5; round += 1) await variables.terms(ENVELOPE, policy);
  await variables.terms(`${ENVELOPE} `, policy);
  assert.deepEqual(calls, ["policyText"]);
  await variables.terms(ENVELOPE, "");
  await variables.terms(ENVELOPE, "");
  assert.deepEqual(calls, ["policyText", "factsText"]);
});
