import assert from "node:assert/strict";
import { test } from "node:test";

import { readCases } from "../build/corpus.js";
import { ruleLinks } from "../build/rules.js";
import { read } from "./support/repository.js";

test("each built-in rule has a link to its page", () => {
  const links = ruleLinks(read("docs/reference/rules.md"), "docs/reference/");
  for (const [rule, page] of Object.entries(links)) assert.match(read(page), new RegExp(`^# .*${rule}`), page);
  const fired = readCases()
    .filter(({ operation, name }) => operation === "evaluate" && name.startsWith("rule-"))
    .flatMap(({ call, answer }) => {
      const own: { id: string }[] = JSON.parse(call).policy?.rules ?? [];
      const found: { rule: string }[] = JSON.parse(answer).findings ?? [];
      return found.map(({ rule }) => rule).filter((rule) => !own.some(({ id }) => id === rule));
    });
  const rules = new Set(fired);
  assert.ok(rules.size > 20, [...rules].join());
  for (const rule of rules) assert.ok(rule in links, rule);
});
