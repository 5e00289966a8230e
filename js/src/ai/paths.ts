/**
 * What a gate makes of paths: `outside` and `path_case`, which stand in for the fields of the same names where a policy leaves them
 * out.
 *
 * Owns no verdict on a path. A policy document is given the fields. To a parsed policy nothing can be given, and where there is no
 * policy nothing is asked about paths: there the engine is asked with a policy that has nothing but `outside`.
 */
import type { PolicyDocument } from "../generated/types.js";
import { kindOf, wrongUsage } from "../usage.js";
import type { GateOptions } from "./gate.js";

type Given = Pick<GateOptions, "outside" | "path_case">;

/** The words of each, the default first. */
const WORDS = { outside: ["refuse", "ask", "allow"], path_case: ["sensitive", "ascii_insensitive"] } as const;
const NAMES = ["outside", "path_case"] as const;

/** Refuses every path out of the workspace, and asks for nothing else. */
const WORKSPACE: PolicyDocument = {
  policy: "workspace",
  version: "1.0.0",
  outside: "refuse",
  required_validators: [],
  review: "optional",
};

/** @throws {AdjudicateError} `wrong_usage` for a word that is none. */
export function refuseOtherWords(given: Given): void {
  for (const name of NAMES) {
    const word = given[name];
    const words: readonly unknown[] = WORDS[name];
    if (word === undefined || words.includes(word)) continue;
    const found = typeof word === "string" ? `\`${word}\`` : kindOf(word);
    throw wrongUsage(`\`${name}\` is one of ${words.join(", ")}, found ${found}`);
  }
}

/**
 * The policy document with the fields that it leaves out.
 *
 * @throws {AdjudicateError} `wrong_usage` where the gate and the policy say different things, for one would not be heeded.
 */
export function withPathFields(policy: PolicyDocument, given: Given, option: string): PolicyDocument {
  for (const name of NAMES) {
    const [ours, theirs] = [given[name], policy[name]];
    if (ours === undefined || theirs === undefined || ours === theirs) continue;
    throw wrongUsage(`the gate's \`${name}\` is \`${ours}\`, that of \`${option}\` is \`${String(theirs)}\`: set one of them`);
  }
  const { outside = WORDS.outside[0], path_case = WORDS.path_case[0] } = given;
  return { outside, path_case, ...policy };
}

/** The policy that is asked beside a parsed one, or where there is none; nothing where such paths are not refused. */
export function workspaceFor({ outside = WORDS.outside[0] }: Given): PolicyDocument | undefined {
  return outside === "refuse" ? WORKSPACE : undefined;
}
