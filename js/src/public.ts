/** What every entry of the package exports beside its ways to create an engine. */
export type { Answered, Member, MemberText } from "./compose.js";
export type { Engine } from "./engine.js";
export { AdjudicateError, type AnyErrorCode } from "./error.js";
export type * from "./generated/types.js";
export type { ModuleOptions } from "./load.js";
export type { ModuleManifest } from "./manifest.js";
export type { IsolatedModule, Later, ModuleLabel, PolicyModule } from "./module.js";
export type { Operations } from "./operations.js";
export type { PlanningOperations } from "./planning.js";
export type { PlanOperations } from "./plans.js";
export type { Policy } from "./policy.js";
export type { JsonText } from "./text.js";
