import assert from "node:assert/strict";
import { test } from "node:test";

import { AdjudicateError } from "adjudicate";

import { JsonText } from "../src/editor/json-text.js";
import { below } from "../src/json.js";
import { callsOf, engine } from "./support/repository.js";

const slice = (text: string, pointer: string, ofName = false) => {
  const { from, to } = new JsonText(text).rangeOf(pointer, ofName);
  return text.slice(from, to);
};

test("a pointer leads to its value, or to the name of it", () => {
  const text = '{\n  "a": [1, {"b/c": "x", "~": 2}],\n  "": null\n}';
  assert.equal(slice(text, "/a/0"), "1");
  assert.equal(slice(text, "/a/1/b~1c"), '"x"');
  assert.equal(slice(text, "/a/1/b~1c", true), '"b/c"');
  assert.equal(slice(text, "/a/1/~0"), "2");
  assert.equal(slice(text, "/"), "null");
  assert.equal(slice(text, ""), text);
});

test("a pointer to a missing value leads to the nearest one", () => {
  const text = '{"a": {"b": [1]}, "c": 2}';
  assert.equal(slice(text, "/a/x/y"), '"a"');
  assert.equal(slice(text, "/a/b/7"), '"b"');
  assert.equal(slice(text, "/z"), "{");
  assert.equal(slice(text, "/c/d"), '"c"');
  assert.equal(slice("", "/a"), "");
});

test("a repeated name leads to its last value", () => {
  const text = '{"a": 1, "b": 2, "a": 3}';
  assert.equal(slice(text, "/a"), "3");
  assert.equal(new JsonText(text).rangeOf("/a", true).from, text.lastIndexOf('"a"'));
});

test("every value of the corpus is found at its place", () => {
  let count = 0;
  for (const [name, text] of callsOf("validate_plan")) {
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      continue;
    }
    const open: [string, unknown][] = [["", document]];
    for (const [pointer, value] of open) {
      if (name !== "bad-key-twice.json") assert.deepEqual(JSON.parse(slice(text, pointer)), value, `${name} ${pointer}`);
      count += 1;
      if (typeof value !== "object" || value === null) continue;
      for (const [key, member] of Object.entries(value)) open.push([below(pointer, key), member]);
    }
  }
  assert.ok(count > 1000, `only ${count} values`);
});

test("a value of several lines is marked at its name, or at its first line", () => {
  const text = '{\n  "a": {\n    "b": 1\n  },\n  "c": [\n    {\n    }\n  ], "d": {"e": 2}\n}';
  const brief = (pointer: string) => {
    const { from, to } = new JsonText(text).shortRangeOf(pointer);
    return text.slice(from, to);
  };
  assert.equal(brief("/a"), '"a"');
  assert.equal(brief("/a/b"), "1");
  assert.equal(brief("/c/0"), "{");
  assert.equal(brief("/d"), '{"e": 2}');
  assert.equal(brief(""), "{");
});

test("lines and columns that a message ends with are counted in characters", () => {
  const text = '{"a": "é😀",\n  "b": tru}\n';
  const fault = (message: string) => {
    const { from, to } = new JsonText(text).rangeOfFault({ code: "malformed_json", message, path: "" });
    return [text.slice(from, to), new JsonText(text).lineOf(from)];
  };
  assert.deepEqual(fault("no value, line 1 column 9"), ["😀", 1]);
  assert.deepEqual(fault("no value, line 1 column 10"), ['"', 1]);
  assert.deepEqual(fault("no value, line 2 column 8"), ["t", 2]);
  // A position beyond the text is its last character.
  assert.deepEqual(fault("ended, line 9 column 9"), ["}", 2]);
});

test("every error of the corpus has a place in its text, and a syntax error has the engine's place", () => {
  let count = 0;
  for (const [name, text] of [...callsOf("evaluate"), ...callsOf("explain")]) {
    try {
      engine.evaluateText(text);
    } catch (error) {
      assert.ok(error instanceof AdjudicateError);
      const { from, to } = new JsonText(text).rangeOfFault(error);
      assert.ok(0 <= from && from <= to && to <= text.length, `${name}: ${from} to ${to} of ${text.length}`);
      const line = /, line (\d+) column \d+$/.exec(error.message)?.[1];
      if (line !== undefined && from < text.trimEnd().length - 1) assert.equal(new JsonText(text).lineOf(from), Number(line), name);
      count += 1;
    }
  }
  assert.ok(count > 100, `only ${count} errors`);
});

test("every text and every pointer has a place", () => {
  const texts = ["", "{", "}", "[[[", '{"a', '{"a":', '{"a":}', "nul", "\u0000", '{"a":{"a":{"a"', "[1,,2]", '{"a" 1}', "\ud800"];
  for (const text of texts) {
    for (const pointer of ["", "/", "/a", "/a/a/a", "/0", "/0/0", "/-", "/a~1"]) {
      const { from, to } = new JsonText(text).rangeOf(pointer);
      assert.ok(0 <= from && from <= to && to <= text.length, `${text} ${pointer}`);
    }
  }
});
