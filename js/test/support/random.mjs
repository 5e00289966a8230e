/** Random choices that come again with their seed. */
import { numbers } from "./siege.mjs";

/** Choices: a number below a limit, one of a list, yes in a share of all cases, a list of at most so many. */
export function random(seed) {
  const below = numbers(seed);
  return {
    below,
    one: (list) => list[below(list.length)],
    often: (share) => below(1_000_000) < share * 1_000_000,
    some: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}
