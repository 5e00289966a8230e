/** The exports that all entries share. */
export type { ExternalAnswer, CompositionMember, CompositionMemberText } from "./compose.js";
export type { DerivedOperations, DerivedPolicyOperations } from "./derived-operations.js";
export type { BatchItem, Engine } from "./engine.js";
export { AdjudicateError, type AdjudicateErrorOptions, type AnyErrorCode, type ErrorPart } from "./error.js";
export type * from "./generated/types.js";
export type { ModuleOptions } from "./load.js";
export type { IsolatedModule, Asynchronous, ModuleLabel, PolicyModule } from "./module.js";
export type { OpenEnvelope } from "./open-envelope.js";
export type { Operations } from "./operations.js";
export type { PlanOperations, PlanningOperations } from "./plans.js";
export type { EvaluatePolicy, Policy, PolicyOperations } from "./policy.js";
export type { JsonText } from "./text.js";
