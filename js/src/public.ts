/** What every entry of the package exports beside its ways to create an engine. */
export type { Engine } from "./engine.js";
export { AdjudicateError } from "./error.js";
export type * from "./generated/types.js";
export type { Policy } from "./policy.js";
export type { JsonText } from "./text.js";
