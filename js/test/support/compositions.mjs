/** The corpus of compositions: `{name, envelope, options, answer}`, the answer without white space. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { root } from "./installed.mjs";

const folder = join(root, "..", "fixtures", "compose");

export const compositions = readdirSync(folder)
  .filter((file) => /(?<!\.answer)\.json$/.test(file))
  .map((file) => {
    const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
    const name = file.slice(0, -".json".length);
    const { envelope, ...options } = read(file);
    return { name, envelope, options, answer: JSON.stringify(read(`${name}.answer.json`)) };
  });

/** Returns the options with each document and each answer converted. */
export function mapped(options, change) {
  const changed = (member) =>
    "answer" in member ? { ...member, answer: change(member.answer, true) } : change(member, false);
  const entries = Object.entries(options).map(([name, member]) => [
    name,
    Array.isArray(member) ? member.map(changed) : changed(member),
  ]);
  return Object.fromEntries(entries);
}
