/**
 * The corpus as a strict user of TypeScript would write it: every call that is answered is of the type that the operation
 * takes, every answer of the type that it gives, and what the engine refuses for its shape, the compiler does too.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { NUMBERS } from "./support/abi.mjs";
import { corpusOf } from "./support/corpus.mjs";
import { install } from "./support/installed.mjs";
import { faultsOf } from "./support/tsc.mjs";

/** Where types say less or more than the engine, and are meant to. */
const ASIDE = [
  // Answers have no extensions of their own, but an evaluation that comes back may have been given some.
  "refine/evaluation-agrees-in-another-order-with-extensions",
  // A test of a policy may hold what is no envelope, and is its own witness then.
  "check_policy/failing-test-deep-input",
  "check_policy/failing-test-input-is-no-envelope",
  "check_policy/several-parts-deep",
  // Blank text is text to the compiler.
  "deliberate/bad-switch-hypothesis-is-blank",
  // Any value of `$schema` is passed over; its type says what editors take.
  "evaluate/shape-dollar-schema-in-call-envelope-and-policy",
  // A validation carries members of any name, and only the engine knows which of them are misspelt.
  "evaluate/bad-misspelt-member-of-validation",
  // What one type of a union knows, the compiler lets pass in another.
  "explain/bad-trace-beside-a-bare-envelope",
  // How the events of a run are written is for the first of them to say.
  "verify_replay/bad-kind-of-the-session-without-time",
  "verify_replay/bad-layouts-mixed-the-other-way",
  "verify_replay/bad-layouts-mixed",
  // The types of a log that begins with a header let all events pass.
  "verify_replay/bad-member-missing-after-a-header",
  "verify_replay/bad-no-kind",
];

/** Whether an error is about the shape of a call, as types see it. */
function isOfShape({ code, message }) {
  return code === "unknown_field" || code === "missing_field" || message.includes(" is not one of ");
}

/** A value as an expression on one line. */
function literal(value) {
  return JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}

/** What a user would write, by the name of the case. */
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

test("every call and answer of the corpus is of its type, and what is not is not", () => {
  const folder = install();
  const names = written.map(([name]) => name);
  assert.deepEqual(ASIDE.filter((name) => !names.includes(name)), []);
  const refused = written.filter(([, code]) => code.startsWith("//"));
  assert.ok(refused.length > 100 && written.length - refused.length > 1000, `${refused.length} of ${written.length}`);
  const code = written.filter(([name]) => !ASIDE.includes(name)).map(([name, code]) => `// ${name}\n${code}\n`);
  writeFileSync(join(folder, "corpus.mts"), HEAD + code.join(""));
  assert.equal(faultsOf(folder, ["corpus.mts"], { module: "NodeNext", lib: ["ES2022"] }), "");
});
