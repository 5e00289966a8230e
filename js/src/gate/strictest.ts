/** Chooses the strictest of several verdicts. */

/**
 * Returns a function that selects the stricter of two verdicts, and the first one if they are equally strict.
 *
 * @param actions The actions from the most lenient to the strictest.
 */
export function stricterBy<One extends { readonly action: string }>(actions: readonly One["action"][]): (left: One, right: One) => One {
  return (left, right) => (actions.indexOf(right.action) > actions.indexOf(left.action) ? right : left);
}
