/** Suggestions for misspelt names ("did you mean"), with the distance that the engine uses. */
import { shortened, wrongUsage } from "./usage.js";

/**
 * Rejects keys other than these names. The message begins with `what`, and ends with `hint` if no name is close.
 *
 * @throws {AdjudicateError} `wrong_usage`.
 */
export function refuseUnknown(given: object, names: readonly string[], what: string, hint: string): void {
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key === "string" && names.includes(key)) continue;
    const close = names.find((name) => isClose(String(key), name));
    throw wrongUsage(`${what} \`${shortened(String(key))}\`, ${close === undefined ? hint : `did you mean \`${close}\`?`}`);
  }
}

/**
 * Returns true for at most one edit per three characters, or one edit in all. An edit is an insertion, a deletion, a replacement or a swap
 * of neighbors. The case of letters does not count.
 */
function isClose(given: string, known: string): boolean {
  // All declared names are much shorter.
  if (given.length > 64) return false;
  return distance([...given.toLowerCase()], [...known]) <= Math.max(1, Math.floor([...given].length / 3));
}

/** Optimal string alignment distance. */
function distance(left: string[], right: string[]): number {
  let older: number[] = [];
  let old = right.map((_, index) => index);
  old.push(right.length);
  for (const [i, a] of left.entries()) {
    const row = [i + 1];
    for (const [j, b] of right.entries()) {
      const cost = (rows: number[], index: number) => rows[index] ?? Infinity;
      const replaced = cost(old, j) + (a === b ? 0 : 1);
      const swapped = left[i - 1] === b && right[j - 1] === a ? cost(older, j - 1) + 1 : Infinity;
      row.push(Math.min(replaced, cost(old, j + 1) + 1, cost(row, j) + 1, swapped));
    }
    older = old;
    old = row;
  }
  return old.at(-1) ?? left.length;
}
