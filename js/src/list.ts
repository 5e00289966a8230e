/**
 * Reads lists of the caller by index. A hole is `undefined`, even if `Array.prototype` has such an item. The error of a proxy or a getter
 * becomes an error of this package.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { kindOf, readable, wrongUsage } from "./usage.js";

/**
 * Returns the length of a list. `what` names its items in error messages.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not a list.
 */
export function lengthOf(list: unknown, what: string): number {
  return readable(`the list of ${what}`, () => {
    if (Array.isArray(list)) return list.length;
    throw wrongUsage(`expected a list of ${what}, found ${kindOf(list)}`);
  });
}

/**
 * Reads the items of a list one at a time. `what` names its items in error messages.
 *
 * @throws {AdjudicateError} as `lengthOf` and `itemOf`.
 */
export function* itemsOf(list: unknown, what: string): Generator<unknown> {
  const length = lengthOf(list, what);
  for (let index = 0; index < length; index++) yield itemOf(list as unknown[], index);
}

/**
 * Reads one item of a list. `within` is a prefix of error messages.
 *
 * @throws {AdjudicateError} `invalid_value` if the item cannot be read.
 */
export function itemOf(list: readonly unknown[], index: number, within = ""): unknown {
  try {
    return Object.hasOwn(list, index) ? list[index] : undefined;
  } catch (cause) {
    const message = `${within}the value cannot be read: ${reasonOf(cause)}`;
    throw new AdjudicateError("invalid_value", message, "", { cause });
  }
}
