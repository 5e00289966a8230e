/** Who has it where several have a say. */

/** What somebody says about a call or a step. */
interface Said {
  readonly action: string;
}

/**
 * The stricter of two, and the first where they are as strict.
 *
 * @param actions From the mildest to the strictest.
 */
export function stricterBy<One extends Said>(actions: readonly One["action"][]): (left: One, right: One) => One {
  return (left, right) => (actions.indexOf(right.action) > actions.indexOf(left.action) ? right : left);
}
