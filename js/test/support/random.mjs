/** Pseudorandom choices by a seed. */
import { numbers } from "./siege.mjs";

/** Choices: a number below a limit, an item of a list, true with a probability, a list of limited length. */
export function random(seed) {
  const below = numbers(seed);
  return {
    below,
    one: (list) => list[below(list.length)],
    often: (share) => below(1_000_000) < share * 1_000_000,
    some: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}
