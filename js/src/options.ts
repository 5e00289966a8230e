/**
 * The options of a call: `{ policy }` and what some operations take beside it.
 *
 * Owns their form. Whatever else stands in their place would be ignored, and the decision made without the policy that
 * was meant, so all of it is refused.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { own } from "./own.js";
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
  readonly takesParsed: boolean;
}

/**
 * The options that are given, each read once, in an object that inherits nothing; those that are `undefined` or `null` are left
 * out.
 *
 * @throws {AdjudicateError} `wrong_usage` when these are no options.
 */
export function optionsOf<Name extends string, Given extends { [name in Name]?: unknown }>(
  options: Given | undefined,
  form: Form<Name>,
): { [name in Name]?: NonNullable<Given[name]> } {
  const named = own<{ [name in Name]?: NonNullable<Given[name]> }>(undefined);
  if (options === undefined) return named;
  try {
    const given = own(optionsIn(options, form));
    refuseUnknown(given, form);
    for (const name of form.names) {
      const value = given[name] ?? undefined;
      if (!form.takesParsed && slotOf(value) !== undefined) throw parsedAlready(form);
      if (value !== undefined) named[name] = value;
    }
    return named;
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    // A getter or a proxy of the caller's.
    throw wrongUsage(`the options cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

function optionsIn<Given>(options: Given, form: Form<string>): Given & object {
  if (slotOf(options) !== undefined) throw parsedAlready(form);
  if (!isPlain(options)) throw wrongUsage(`options must be a plain object, ${allOf(form)}, found ${kindOf(options)}`);
  return options;
}

function refuseUnknown(given: object, form: Form<string>): void {
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key === "string" && form.names.includes(key)) continue;
    const close = form.names.find((name) => isClose(String(key), name));
    const hint = close === undefined ? `options are ${allOf(form)}` : `did you mean \`${close}\`?`;
    throw wrongUsage(`unknown option \`${shortened(String(key))}\`, ${hint}`);
  }
}

function allOf({ names }: Form<string>): string {
  return `\`{ ${names.join(", ")} }\``;
}

function parsedAlready(form: Form<string>): AdjudicateError {
  return wrongUsage(`a parsed policy is not an option: use \`policy.${form.method}(envelope)\``);
}
