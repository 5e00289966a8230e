/** The operations: their numbers, their methods, and their examples. */
import operations from "../../../tests/schemas/operations.json" with { type: "json" };

export { operations };

/** The numbers of the operations by name, in the order in which the engine lists them. */
export const NUMBERS = Object.fromEntries(Object.entries(operations).flatMap(([name, { number }]) => (number === undefined ? [] : [[name, number]])));

/** A call of each operation on anything but envelopes and policies. */
export const PLAN_CALLS = Object.fromEntries(Object.entries(operations).flatMap(([name, { policy, example }]) => (policy === false ? [[name, example]] : [])));

/** Returns the name of the method for an operation. */
export const methodOf = (operation) => operation.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

/** Returns the names of all methods of an object, including inherited ones. */
export function methodsOf(object) {
  const found = new Set();
  for (let type = Object.getPrototypeOf(object); type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const name of Reflect.ownKeys(type)) found.add(name);
  }
  found.delete("constructor");
  return [...found];
}
