import assert from "node:assert/strict";
import { test } from "node:test";

import type { Explanation } from "adjudicate";

import { formatted } from "../src/editor/format.js";
import { changed, patched } from "../src/editor/patch.js";
import { below, segmentsOf, shown, type Change, type Json } from "../src/json.js";
import { callsOf, engine } from "./support/repository.js";

test("pointers are taken apart and put together", () => {
  for (const segments of [[], [""], ["a"], ["a/b", "~", "~1", "0"], ["/~"]]) {
    const pointer = segments.reduce(below, "");
    assert.deepEqual(segmentsOf(pointer), segments, pointer);
  }
  assert.throws(() => segmentsOf("a"));
});

test("changes are made in a copy, strictly", () => {
  const document: Json = { a: [1, 2], b: { c: 3 } };
  const make = (...changes: Change[]) => changed(document, changes);
  assert.deepEqual(make({ op: "add", path: "/a/1", value: 9 }), { a: [1, 9, 2], b: { c: 3 } });
  assert.deepEqual(make({ op: "add", path: "/a/-", value: 9 }), { a: [1, 2, 9], b: { c: 3 } });
  assert.deepEqual(make({ op: "replace", path: "/b/c", value: null }), { a: [1, 2], b: { c: null } });
  assert.deepEqual(make({ op: "remove", path: "/a/0" }, { op: "remove", path: "/b" }), { a: [2] });
  assert.deepEqual(make({ op: "replace", path: "", value: 7 }), 7);
  assert.deepEqual(Object.keys(make({ op: "add", path: "/__proto__", value: 1 }) as object), ["a", "b", "__proto__"]);
  assert.deepEqual(document, { a: [1, 2], b: { c: 3 } });
  const wrong: Change[] = [
    { op: "remove", path: "/x" },
    { op: "remove", path: "" },
    { op: "replace", path: "/a/2", value: 1 },
    { op: "replace", path: "/a/-", value: 1 },
    { op: "add", path: "/a/4", value: 1 },
    { op: "add", path: "/a/00", value: 1 },
    { op: "add", path: "/b/c/d", value: 1 },
    { op: "add", path: "/constructor/x", value: 1 },
    { op: "add", path: "/b/d" },
  ];
  for (const change of wrong) {
    assert.throws(() => make(change), JSON.stringify(change));
  }
});

test("a change to a text keeps the rest as it was written", () => {
  const text = '{"big": 12345678901234567890, "float": 1.0, "list": [1e3, "a"], "o": {"x/y": 1}}';
  const is = (change: Change, expected: string) => assert.equal(patched(text, [change]), formatted(expected));
  is({ op: "replace", path: "/list/1", value: { b: [] } }, text.replace('"a"', '{"b": []}'));
  is({ op: "add", path: "/list/0", value: 0 }, text.replace("[", "[0, "));
  is({ op: "add", path: "/list/-", value: 0 }, text.replace('"a"', '"a", 0'));
  is({ op: "remove", path: "/big" }, text.replace('"big": 12345678901234567890, ', ""));
  is({ op: "add", path: "/o/x~1y", value: 2 }, text.replace('"x/y": 1', '"x/y": 2'));
  is({ op: "add", path: "/o/z", value: null }, text.replace('"x/y": 1', '"x/y": 1, "z": null'));
  is({ op: "replace", path: "", value: [] }, "[]");
});

test("the counterfactuals of the corpus lead to success", () => {
  let count = 0;
  for (const [name, text] of callsOf("explain")) {
    let call: { envelope?: Json; policy?: Json };
    let explanation: Explanation;
    try {
      call = JSON.parse(text) as typeof call;
      explanation = JSON.parse(engine.callText("explain", text)) as Explanation;
    } catch {
      continue;
    }
    const changes = explanation.counterfactual?.changes;
    if (changes === undefined || call.envelope === undefined) continue;
    const changedText = patched(JSON.stringify(call.envelope), changes);
    const policy = call.policy === undefined || call.policy === null ? {} : { policy: JSON.stringify(call.policy) };
    const after = JSON.parse(engine.evaluateText(changedText, policy)) as { decision: { status: string } };
    assert.equal(after.decision.status, "success", name);
    count += 1;
  }
  assert.ok(count > 30, `only ${count} counterfactuals`);
});

test("formatting keeps every token", () => {
  const numbers = '{"a":1.0,"b":12345678901234567890,"a":-0.0e1,"c":"\\u00e9 \\" { ","d":[],"e":{},"f":[true,null]}';
  const laid = formatted(numbers);
  assert.equal(laid.replaceAll(/\s/g, ""), numbers.replaceAll(/\s/g, ""));
  assert.equal(formatted(laid), laid);
  assert.equal(formatted(' {"a": {"b": [1, 2]}} '), '{"a": {"b": [1, 2]}}\n');
  assert.equal(formatted("7"), "7\n");
  assert.throws(() => formatted('{"a": }'), SyntaxError);
  for (const text of callsOf("validate_plan").values()) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      continue;
    }
    const laidOut = formatted(text);
    assert.deepEqual(JSON.parse(laidOut), value);
    for (const line of laidOut.split("\n")) {
      // Brackets in a string are not structure.
      const structure = line.replace(/"(?:[^"\\]|\\.)*"/g, (string) => "x".repeat(string.length));
      assert.ok(line.length <= 90 || !/[[{].*[,:]/.test(structure.slice(90)), line);
    }
  }
});

test("values are shown as text", () => {
  assert.equal(shown("a"), "a");
  assert.equal(shown(["a"]), '["a"]');
  assert.equal(shown(undefined), "nothing");
});
