/**
 * The corpus in strict TypeScript: every accepted call has the type of its operation, and every answer has the type of
 * its answers. If the engine refuses a call for its shape, the compiler refuses it, too.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { corpusOf } from "./support/corpus.mjs";
import { install } from "./support/installed.mjs";
import { NUMBERS } from "./support/operations.mjs";
import { faultsOf } from "./support/tsc.mjs";

/** The cases in which the types are deliberately wider or narrower than the engine. */
const ASIDE = [
  // Answers have no extensions, but an evaluation in an input may have some.
  "refine/evaluation-agrees-in-another-order-with-extensions",
  // A test of a policy may have an invalid envelope, which is then its witness.
  "check_policy/failing-test-deep-input",
  "check_policy/failing-test-input-is-no-envelope",
  "check_policy/several-parts-deep",
  // Blank text is text to the compiler.
  "deliberate/bad-switch-hypothesis-is-blank",
  // The engine ignores any value of `$schema`; the type is the one for editors.
  "evaluate/shape-dollar-schema-in-call-envelope-and-policy",
  // A validation has fields of any name. Only the engine detects misspelt ones.
  "evaluate/bad-misspelt-member-of-validation",
  // The compiler accepts a field of one type of a union in another.
  "explain/bad-trace-beside-a-bare-envelope",
  // The first event of a run determines the layout of all.
  "verify_replay/bad-kind-of-the-session-without-time",
  "verify_replay/bad-layouts-mixed-the-other-way",
  "verify_replay/bad-layouts-mixed",
  // In a log with a header, the types accept all events.
  "verify_replay/bad-member-missing-after-a-header",
  "verify_replay/bad-no-kind",
];

/** Returns true if an error is about the shape of a call, which types describe. */
function isOfShape({ code, message }) {
  return code === "unknown_field" || code === "missing_field" || message.includes(" is not one of ");
}

/** Returns a value as an expression on one line. */
function literal(value) {
  return JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}

/** Returns the TypeScript code for a case. */
const written = Object.keys(NUMBERS).flatMap((operation) =>
  corpusOf(operation).flatMap(({ name, call, answer }) => {
    const isAnswered = answer.error === undefined;
    if (call === undefined || !(isAnswered || isOfShape(answer.error))) return [];
    const take = `take("${operation}", ${literal(call)});`;
    const lines = isAnswered
      ? `${take} give("${operation}", ${literal(answer)});`
      : `// @ts-expect-error: ${answer.error.code}\n${take}`;
    return [[`${operation}/${name}`, lines]];
  }),
);

const HEAD = `import type { Answers, Calls } from "adjudicate";
declare function take<Name extends keyof Calls>(operation: Name, call: Calls[Name]): void;
declare function give<Name extends keyof Answers>(operation: Name, answer: Answers[Name]): void;
`;

test("every call and answer of the corpus has its type, and refused calls do not", () => {
  const folder = install();
  const names = written.map(([name]) => name);
  assert.deepEqual(ASIDE.filter((name) => !names.includes(name)), []);
  const refused = written.filter(([, code]) => code.startsWith("//"));
  assert.ok(refused.length > 100 && written.length - refused.length > 1000, `${refused.length} of ${written.length}`);
  const code = written.filter(([name]) => !ASIDE.includes(name)).map(([name, code]) => `// ${name}\n${code}\n`);
  writeFileSync(join(folder, "corpus.mts"), HEAD + code.join(""));
  assert.equal(faultsOf(folder, ["corpus.mts"], { module: "NodeNext", lib: ["ES2022"] }), "");
});
