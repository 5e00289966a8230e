/** Chooses the strictest of several verdicts. */

/** A verdict on a call or a step, from one source. */
interface Judgment {
  readonly action: string;
}

/**
 * Returns a function that selects the stricter of two verdicts, and the first one if they are equally strict.
 *
 * @param actions The actions from the most lenient to the strictest.
 */
export function stricterBy<One extends Judgment>(actions: readonly One["action"][]): (left: One, right: One) => One {
  return (left, right) => (actions.indexOf(right.action) > actions.indexOf(left.action) ? right : left);
}
