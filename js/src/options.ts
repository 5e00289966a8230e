/**
 * Reads the options of a call: `{ policy }`, and further fields for some operations.
 *
 * Anything else in their place is an error. If the package ignored it, a decision could be made without your policy.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { own } from "./own.js";
import { policies } from "./policy-handle.js";
import { isClose } from "./suggest.js";
import { isPlain, kindOf, shortened, wrongUsage } from "./usage.js";

/** The options of a method. */
export interface Form<Name extends string> {
  /** The name of the method. A parsed policy may have a method of the same name. */
  readonly method: string;
  /** The names of the options. */
  readonly names: readonly Name[];
  /** The options that can be a parsed policy. */
  readonly parsed: readonly Name[];
}

/**
 * Returns the options in an object that inherits nothing, without those that are `undefined` or `null`. Each is read once.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not an object with these options.
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
      if (policies.of(value) !== undefined && !form.parsed.includes(name)) throw parsedAlready(form);
      if (value !== undefined) named[name] = value;
    }
    return named;
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    // A getter or a proxy of the caller threw.
    throw wrongUsage(`the options cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

function optionsIn<Given>(options: Given, form: Form<string>): Given & object {
  if (policies.of(options) !== undefined) throw parsedAlready(form);
  if (!isPlain(options)) throw wrongUsage(`expected options ${allOf(form)} in a plain object, found ${kindOf(options)}`);
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
