/**
 * The options of a call that decides: `{ policy }`.
 *
 * Owns their form. Whatever else stands in their place would be ignored, and the decision made without the policy that
 * was meant, so all of it is refused.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { Policy } from "./policy.js";
import { isClose } from "./suggest.js";
import { isPlain, kindOf, wrongUsage } from "./usage.js";

/**
 * The policy that the options name; `undefined` when they name none, or `null`.
 *
 * @param method The method that is called: a parsed policy has one of the same name.
 * @throws {AdjudicateError} `wrong_usage` when these are no options.
 */
export function policyOf<Form>(options: { policy?: Form | null } | undefined, method: string): Form | undefined {
  if (options === undefined) return undefined;
  try {
    refuseOtherThanOptions(options, method);
    const policy = options.policy ?? undefined;
    if (Policy.isPolicy(policy)) throw parsedAlready(method);
    return policy;
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    // A getter or a proxy of the caller's.
    throw wrongUsage(`the options cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

function refuseOtherThanOptions(options: unknown, method: string): void {
  if (Policy.isPolicy(options)) throw parsedAlready(method);
  if (!isPlain(options)) throw wrongUsage(`options must be a plain object, \`{ policy }\`, found ${kindOf(options)}`);
  for (const key of Reflect.ownKeys(options)) {
    if (key === "policy") continue;
    const name = String(key);
    const hint = isClose(name, "policy") ? "did you mean `policy`?" : "options are `{ policy }`";
    throw wrongUsage(`unknown option \`${name.length > 60 ? `${name.slice(0, 60)}...` : name}\`, ${hint}`);
  }
}

function parsedAlready(method: string): AdjudicateError {
  return wrongUsage(`a parsed policy is not an option: use \`policy.${method}(envelope)\``);
}
