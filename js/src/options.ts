/**
 * Reads the options of a call: `{ policy }`, and further fields for some operations.
 *
 * Anything else in their place is an error. If the package ignored it, a decision could be made without your policy.
 */
import { own } from "./own.js";
import { policies } from "./policy-handle.js";
import { refuseUnknown } from "./suggest.js";
import { isPlain, kindOf, readable, wrongUsage } from "./usage.js";

/** The options of a method. */
export interface Form<Name extends string> {
  /** The names of the options. */
  readonly names: readonly Name[];
  /** The options that can be a parsed policy. */
  readonly parsed?: readonly Name[];
}

/**
 * Returns the options in an object that inherits nothing, without those that are `undefined` or `null`. Each is read once.
 *
 * @param method The method of a parsed policy that an error message suggests.
 * @throws {AdjudicateError} `wrong_usage` if the argument is not an object with these options.
 */
export function optionsOf<Name extends string, Given extends { [name in Name]?: unknown }>(
  options: Given | undefined,
  form: Form<Name>,
  method = "evaluate",
): { [name in Name]?: NonNullable<Given[name]> } {
  const named = own<{ [name in Name]?: NonNullable<Given[name]> }>(undefined);
  if (options === undefined) return named;
  const { names, parsed } = own(form) as Form<Name>;
  const all = `\`{ ${names.join(", ")} }\``;
  const refuseParsed = (value: unknown) => {
    if (policies.of(value) !== undefined) throw wrongUsage(`a parsed policy is not an option: use \`policy.${method}(envelope)\``);
  };
  return readable("the options", () => {
    refuseParsed(options);
    if (!isPlain(options)) throw wrongUsage(`expected options ${all} in a plain object, found ${kindOf(options)}`);
    const given = own(options);
    refuseUnknown(given, names, "unknown option", `options are ${all}`);
    for (const name of names) {
      const value = given[name] ?? undefined;
      if (parsed?.includes(name) !== true) refuseParsed(value);
      if (value !== undefined) named[name] = value;
    }
    return named;
  });
}
