/**
 * The options `outside` and `path_case` of a gate, which fill in the policy fields of the same names.
 *
 * The engine decides about paths. The gate sets the fields in a policy document. If the policy is parsed already, or there is none, the gate
 * evaluates a further policy that has only `outside`.
 */
import type { Outside, PolicyDocument } from "../generated/types.js";
import { shown, wrongUsage } from "../usage.js";
import { OUTSIDE, PATH_CASES } from "../words.js";
import type { GateOptions } from "./types.js";

type PathOptions = Pick<GateOptions, "outside" | "path_case">;

const WORDS = { outside: OUTSIDE, path_case: PATH_CASES } as const;
const NAMES = ["outside", "path_case"] as const;

/** The default of the gate, which is stricter than that of a policy. */
const DEFAULT_OUTSIDE: Outside = "refuse";

/** A policy that refuses every path outside of the workspace, and has no other effect. */
const WORKSPACE: PolicyDocument = {
  policy: "workspace",
  version: "1.0.0",
  outside: "refuse",
  required_validators: [],
  review: "optional",
};

/** @throws {AdjudicateError} `wrong_usage` for an unknown value. */
export function checkPathOptions(given: PathOptions): void {
  for (const name of NAMES) {
    const word = given[name];
    const words: readonly unknown[] = WORDS[name];
    if (word === undefined || words.includes(word)) continue;
    throw wrongUsage(`\`${name}\` is one of ${words.join(", ")}, found ${shown(word)}`);
  }
}

/**
 * Returns the policy document with the path fields that it leaves out.
 *
 * @throws {AdjudicateError} `wrong_usage` if the gate and the policy have different values, because one would have no effect.
 */
export function withPathFields(policy: PolicyDocument, given: PathOptions, option: string): PolicyDocument {
  for (const name of NAMES) {
    const [ours, theirs] = [given[name], policy[name]];
    if (ours === undefined || theirs === undefined || ours === theirs) continue;
    throw wrongUsage(`\`${name}\` is \`${ours}\` in the gate, and \`${String(theirs)}\` in \`${option}\`: set one of them`);
  }
  const { outside = DEFAULT_OUTSIDE, path_case = "sensitive" } = given;
  return { outside, path_case, ...policy };
}

/** Returns the policy that refuses paths outside of the workspace, or `undefined` if the gate does not refuse them. */
export function workspaceFor({ outside = DEFAULT_OUTSIDE }: PathOptions): PolicyDocument | undefined {
  return outside === "refuse" ? WORKSPACE : undefined;
}
