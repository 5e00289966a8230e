/**
 * Lists of the caller's, read as they are: by index, so that a hole is an item like any other (`undefined`, whatever
 * `Array.prototype` has there), and whatever a proxy or a getter throws is an error of this package.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import { kindOf, wrongUsage } from "./usage.js";

/**
 * How many items a list has; `what` is in it.
 *
 * @throws {AdjudicateError} `wrong_usage` for what is no list.
 */
export function lengthOf(list: unknown, what: string): number {
  try {
    if (Array.isArray(list)) return list.length;
  } catch (cause) {
    throw wrongUsage(`the list of ${what} cannot be read: ${reasonOf(cause)}`, cause);
  }
  throw wrongUsage(`expected a list of ${what}, found ${kindOf(list)}`);
}

/**
 * The items of a list, read one after the other; `what` is in it.
 *
 * @throws {AdjudicateError} As `lengthOf` and `itemOf` do.
 */
export function* itemsOf(list: unknown, what: string): Generator<unknown> {
  const length = lengthOf(list, what);
  for (let index = 0; index < length; index++) yield itemOf(list as unknown[], index);
}

/**
 * One item of a list; `within` begins the message of an error.
 *
 * @throws {AdjudicateError} `invalid_value` for one that cannot be read.
 */
export function itemOf(list: readonly unknown[], index: number, within = ""): unknown {
  try {
    return Object.hasOwn(list, index) ? list[index] : undefined;
  } catch (cause) {
    const message = `${within}the value cannot be read: ${reasonOf(cause)}`;
    throw new AdjudicateError("invalid_value", message, "", { cause });
  }
}
