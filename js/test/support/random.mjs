/** Pseudorandom choices by a seed. */

/** Returns a deterministic generator of numbers below a limit. */
export function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

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
