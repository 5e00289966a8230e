/** Makes the examples of the page from fixtures. A missing or invalid fixture fails the build. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

import type { DecisionExample, Examples, PlanExample } from "../src/example.js";
import { isObject, type Json } from "../src/json.js";
import { casesOf, settings } from "../src/policy-tests.js";
import { corpus, findCase } from "./corpus.js";
import { DECISIONS, PLANS, type DecisionSource, type PlanSource } from "./curated.js";

/** Returns the files that the examples use. */
export function filesUsed(fixtures: string): string[] {
  const policies = DECISIONS.flatMap(({ policy, cases }) => [policy, cases]).filter((file) => file !== undefined);
  return [corpus, ...new Set(policies.map((file) => join(fixtures, file)))];
}

/** Returns all examples. */
export function readExamples(fixtures: string): Examples {
  return {
    decisions: DECISIONS.map((source) => about(source, () => decision(fixtures, source))),
    plans: PLANS.map((source) => about(source, () => plan(source))),
  };
}

function about<Example>({ id }: { id: string }, make: () => Example): Example {
  try {
    return make();
  } catch (cause) {
    throw new Error(`the example \`${id}\` cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function decision(fixtures: string, source: DecisionSource): DecisionExample {
  const { envelope, policy } = source.call === undefined ? caseOf(fixtures, source) : callOf(callIn(source.call));
  const { id, title, group, about } = source;
  return { id, title, group, about, envelope, policy, other: settings(policy, source.other) };
}

function plan({ id, title, group, about, call }: PlanSource): PlanExample {
  return { id, title, group, about, plan: callIn(call) };
}

function callIn(reference: string): Json {
  return JSON.parse(findCase(reference).call) as Json;
}

interface Call {
  readonly envelope: Json;
  readonly policy: Json;
}

function callOf(call: Json): Call {
  if (!isObject(call)) throw new Error("expected a call in an object");
  const { envelope, policy } = call;
  return envelope === undefined ? { envelope: call, policy: null } : { envelope, policy: policy ?? null };
}

/** Returns the policy of a file and the envelope of one of its cases. It leaves out the policy's tests. */
function caseOf(fixtures: string, source: DecisionSource): Call {
  const { policy, cases, named } = source;
  if (policy === undefined || cases === undefined || named === undefined) throw new Error("it has neither a call nor a case of a policy");
  const document = read(fixtures, policy);
  const template = read(fixtures, cases);
  if (!isObject(document)) throw new Error(`${policy} is not a policy`);
  const found = casesOf(template).find(({ name }) => name.endsWith(` / ${named}`));
  if (found === undefined) throw new Error(`${cases} has no case \`${named}\``);
  const { tests: _, ...rules } = document;
  return { envelope: found.input, policy: rules };
}

function read(fixtures: string, file: string): Json {
  const text = readFileSync(join(fixtures, file), "utf8");
  return (file.endsWith(".yaml") ? parse(text) : JSON.parse(text)) as Json;
}
