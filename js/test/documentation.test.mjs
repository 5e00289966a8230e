/**
 * Each export in the packed declarations has documentation, and each function has an example. `examples.test.mjs` runs the examples.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { bothForms, install, installedFile } from "./support/installed.mjs";

const folder = install();
const dist = installedFile(folder, "dist");
const files = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith(".d.ts"));

/** A declaration at the outer level: its doc comment if any, its kind and its name. */
const DECLARATION =
  /(?<doc>\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?(?:export )?(?:declare )?(?:abstract )?(?<kind>interface|type|class|function|const) (?<name>\w+)/gm;
/** A field or a method at the first depth. */
const MEMBER = /(?<doc>^ {4}\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?^ {4}(?<line>[\w[#"].*)$/gm;

/** Returns the declarations of a file: `{ name, kind, doc, members }`. */
function declared(file) {
  const text = readFileSync(installedFile(folder, "dist", file), "utf8");
  const found = [...text.matchAll(DECLARATION)].filter(({ index, 0: whole }) => index === 0 || text[index - 1] === "\n" || whole.startsWith("/**"));
  return found.map(({ index, 0: whole, groups }, at) => {
    const body = text.slice(index + whole.length, found[at + 1]?.index ?? text.length);
    const isTyped = groups.kind === "interface" || groups.kind === "class";
    return { file, ...groups, members: isTyped ? membersOf(body.slice(0, body.indexOf("\n}"))) : [] };
  });
}

function membersOf(body) {
  return [...body.matchAll(MEMBER)].map(({ groups: { doc, line } }) => {
    const [, name] = /^(?:readonly )?(?:#)?(\[.*?\]|"?[\w-]+"?)/.exec(line);
    return {
      name,
      doc,
      isCallable: /^(readonly )?[\w[\].]+(<.*?>)?\??(\(|: [(<])/.test(line),
      isHidden: /^(private|constructor|#)/.test(line),
      line,
    };
  });
}

const all = files.flatMap(declared);

test("every declaration and every member of one has a doc comment", () => {
  assert.ok(all.length > 250, `${all.length}`);
  const bare = all.filter(({ doc }) => doc === undefined).map(({ file, name }) => `${file}: ${name}`);
  const members = all
    .filter(({ name }) => !TABLES.includes(name))
    .flatMap(({ file, name, members }) => {
      // The first of several signatures has the comment of all.
      const described = new Set(members.filter(({ doc }) => doc !== undefined).map((member) => member.name));
      return members
        .filter((member) => !member.isHidden && !described.has(member.name))
        .map((member) => `${file}: ${name}.${member.name}`);
    });
  const overloaded = new Set(all.filter(({ doc }) => doc !== undefined).map(({ file, name }) => `${file}: ${name}`));
  assert.deepEqual([...bare.filter((name) => !overloaded.has(name)), ...members], []);
});

test("every function, class and method has an example", async () => {
  const { import: entries } = await bothForms(folder);
  const exported = new Set(Object.values(entries).flatMap((entry) => Object.keys(entry)));
  for (const name of exported)
    assert.ok(all.some((one) => one.name === name), `\`${name}\` is not declared`);
  const hasExample = (doc) => doc?.includes("```js") === true;
  const callable = all.filter(({ kind, name }) => (kind === "function" || kind === "class") && exported.has(name));
  assert.ok(callable.length >= 6, callable.map(({ name }) => name).join(" "));
  const shown = new Set(all.filter(({ doc }) => hasExample(doc)).map(({ file, name }) => `${file}: ${name}`));
  const missing = callable.map(({ file, name }) => `${file}: ${name}`).filter((name) => !shown.has(name));
  const methods = all
    .filter(({ name }) => METHODS.includes(name))
    .flatMap(({ file, name, members }) =>
      members
        .filter(({ doc, isCallable, isHidden }) => isCallable && !isHidden && !hasExample(doc))
        .map((member) => `${file}: ${name}.${member.name}`),
    );
  assert.deepEqual([...missing, ...methods], []);
});

/** Types whose fields need no comments: they map the name of an operation to a type. */
const TABLES = ["Answers", "Calls"];

/** The types whose methods need examples. */
const METHODS = [
  ...["Engine", "DerivedOperations", "DerivedPolicyOperations", "OpenEnvelope", "Operations", "PlanOperations", "PlanningOperations", "Policy"],
  ...["PolicyOperations", "PolicyModule", "Gate", "AgentInterceptor", "Judgments", "LangChainGate", "OpenAiGate", "AdjudicateError"],
];
