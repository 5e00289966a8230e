/**
 * The options of a call: `{ policy }` and what some operations take beside it.
 *
 * Owns their form. Whatever else stands in their place would be ignored, and the decision made without the policy that
 * was meant, so all of it is refused.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { slotOf } from "./slot.js";
import { isClose } from "./suggest.js";
import { isPlain, kindOf, shortened, wrongUsage } from "./usage.js";

/** How a method that takes options is called. */
export interface Form<Name extends string> {
  /** Its name; a parsed policy has a method of the same name, or none. */
  readonly method: string;
  /** The options there are. */
  readonly names: readonly Name[];
  /** Whether a parsed policy may be the value of an option. */
  readonly takesParsed?: boolean;
}

/**
 * The options that are given, each read once; those that are `undefined` or `null` are left out.
 *
 * @throws {AdjudicateError} `wrong_usage` when these are no options.
 */
export function optionsOf<Name extends string, Given extends { [name in Name]?: unknown }>(
  options: Given | undefined,
  form: Form<Name>,
): { [name in Name]?: NonNullable<Given[name]> } {
  const named: { [name in Name]?: NonNullable<Given[name]> } = {};
  if (options === undefined) return named;
  try {
    refuseOtherThanOptions(options, form);
    for (const name of form.names) {
      const value = options[name] ?? undefined;
      if (form.takesParsed !== true && slotOf(value) !== undefined) throw parsedAlready(form);
      if (value !== undefined) named[name] = value;
    }
    return named;
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    // A getter or a proxy of the caller's.
    throw wrongUsage(`the options cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

function refuseOtherThanOptions(options: unknown, form: Form<string>): void {
  if (slotOf(options) !== undefined) throw parsedAlready(form);
  const all = `\`{ ${form.names.join(", ")} }\``;
  if (!isPlain(options)) throw wrongUsage(`options must be a plain object, ${all}, found ${kindOf(options)}`);
  for (const key of Reflect.ownKeys(options)) {
    if (typeof key === "string" && form.names.includes(key)) continue;
    const close = form.names.find((name) => isClose(String(key), name));
    const hint = close === undefined ? `options are ${all}` : `did you mean \`${close}\`?`;
    throw wrongUsage(`unknown option \`${shortened(String(key))}\`, ${hint}`);
  }
}

function parsedAlready(form: Form<string>): AdjudicateError {
  return wrongUsage(`a parsed policy is not an option: use \`policy.${form.method}(envelope)\``);
}
