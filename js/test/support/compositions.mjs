/** The corpus of compositions: `{name, envelope, options, answer}`, the answer without white space. */
import { corpusOf } from "./corpus.mjs";

export const compositions = corpusOf("compose").map(({ name, call: { envelope, ...options }, answer }) => {
  return { name, envelope, options, answer: JSON.stringify(answer) };
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
