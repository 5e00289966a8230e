/** Tests of a policy from a file of cases. The engine runs them, as it runs the tests that a policy has itself. */
import type { CheckFinding } from "adjudicate/slim";

import { changed, patched } from "./editor/patch.js";
import { isObject, type Change, type Json } from "./json.js";

/** A test, in the form of a policy's `tests`. */
export interface PolicyTest {
  readonly name: string;
  readonly input: Json;
  readonly expect: Json;
}

/** A test with its result. */
export interface TestResult {
  readonly name: string;
  /** The reasons why it fails. Empty if it passes. */
  readonly failures: readonly string[];
}

/**
 * Returns the tests of a file of cases: one case or a list. A case with `cases` is a template, and each variant is a test.
 *
 * @throws {Error} if the file is invalid.
 */
export function casesOf(file: Json): PolicyTest[] {
  return (Array.isArray(file) ? file : [file]).flatMap((item) => {
    const { name, input, expect, cases } = objectOf(item, "a case");
    const title = nameOf(name);
    if (input === undefined) throw new Error(`the case \`${title}\` has no \`input\``);
    if (cases === undefined) return [{ name: title, input, expect: expected(expect, title) }];
    if (!Array.isArray(cases)) throw new Error(`the \`cases\` of \`${title}\` are not a list`);
    return cases.map((variant) => {
      const { name: own, remove = [], set = {}, expect: ownExpect = expect } = objectOf(variant, `a variant of \`${title}\``);
      const label = `${title} / ${nameOf(own)}`;
      const removals = (Array.isArray(remove) ? remove : []).map((path): Change => ({ op: "remove", path: String(path) }));
      const without = changed(input, removals);
      return { name: label, input: changed(without, settings(without, objectOf(set, "`set`"))), expect: expected(ownExpect, label) };
    });
  });
}

/** Converts new values by JSON Pointers to changes, which replace a present value or add an absent one. */
export function settings(value: Json, values: Readonly<Record<string, unknown>>): Change[] {
  return Object.entries(values).map(([path, new_]) => {
    const replacement: Change = { op: "replace", path, value: new_ };
    try {
      changed(value, [replacement]);
      return replacement;
    } catch {
      return { op: "add", path, value: new_ };
    }
  });
}

/** Returns the text of a policy with other tests. */
export function withTests(policy: string, tests: readonly PolicyTest[]): string {
  return patched(policy, [{ op: "add", path: "/tests", value: tests }]);
}

/** Returns the result of each test, by the findings of the policy's check. */
export function resultsOf(tests: readonly PolicyTest[], findings: readonly CheckFinding[]): TestResult[] {
  return tests.map(({ name }, at) => {
    const own = findings.filter(({ path }) => path === `/tests/${at}` || path.startsWith(`/tests/${at}/`));
    return { name, failures: own.map(({ message }) => message) };
  });
}

function objectOf(value: Json | undefined, what: string): { [name: string]: Json } {
  if (!isObject(value)) throw new Error(`${what} is not an object`);
  return value;
}

function nameOf(name: Json | undefined): string {
  if (typeof name !== "string" || name === "") throw new Error("a case has no name");
  return name;
}

function expected(expect: Json | undefined, name: string): Json {
  if (expect === undefined) throw new Error(`the case \`${name}\` has no \`expect\``);
  return expect;
}
