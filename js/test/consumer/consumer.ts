/**
 * A strict TypeScript user's code, and the mistakes that the compiler must find. Compiled, never run. Unknown and missing fields and words
 * of documents are in `corpus.test.mjs`.
 */
import { AdjudicateError, createEngine, createEngineSync } from "adjudicate";
import type {
  AnyErrorCode,
  BatchItem,
  CheckAnswer,
  ClassifiedBy,
  ComposedEvaluation,
  ConditionPart,
  Engine,
  Entry,
  Envelope,
  ErrorCode,
  EvaluateCall,
  Evaluation,
  Explanation,
  Finding,
  KnownFacts,
  LoopEvent,
  CompositionMember,
  CompositionMemberText,
  OpenEnvelope,
  OperationName,
  Policy,
  PolicyDocument,
  RefineCall,
  RefinementCount,
  Revision,
  Role,
  Route,
  RuleInfo,
  Status,
  Validation,
} from "adjudicate";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

// The answer: unions and null, nowhere `any`.
assertType<Equal<Status, "success" | "partial" | "blocked" | "needs_human" | "unsafe">>();
assertType<Equal<Evaluation["decision"]["next_step"], string | null>>();
assertType<Equal<Evaluation["policy"], { name: string; version: string } | null>>();
assertType<Equal<Finding["expected"], number | string | string[] | null | undefined>>();
assertType<Equal<Finding["flag"], string | undefined>>();
assertType<Equal<Finding["severity"], "low" | "medium" | "high">>();
assertType<Equal<Evaluation["loop"]["route"], Route | null>>();
assertType<Equal<Route, { role: Role; by: ClassifiedBy }>>();
assertType<Equal<ClassifiedBy, "declared" | "reserved" | "named" | "unclassified">>();
assertType<Equal<Revision["status_patch"]["refinement"], RefinementCount>>();
assertType<Equal<Revision["next"]["refinement"], RefinementCount>>();
assertType<Equal<Revision["next"]["history_entry"]["reviewed"], boolean>>();
// Left out where findings are: the next evaluation then compares codes.
assertType<Revision["next"]["history_entry"]["blockers"] extends Entry["blockers"] ? true : false>();
assertType<undefined extends Revision["next"]["history_entry"]["blockers"] ? true : false>();
assertType<Equal<Finding["count"], number | undefined>>();
assertType<Equal<CheckAnswer["findings"][number]["count"], number | undefined>>();
assertType<Equal<Validation["exit_codes"], Readonly<Record<string, number>>>>();
assertType<Equal<Envelope["evaluate_prompt"], `${string}.v${number}`>>();
assertType<Equal<Envelope["allowed_next_steps"], readonly string[]>>();
assertType<Equal<ReturnType<Engine["evaluate"]>, Evaluation>>();
assertType<Equal<ReturnType<Engine["evaluateText"]>, string>>();
assertType<Equal<ReturnType<Engine["refine"]>, Revision>>();
assertType<Equal<ReturnType<Engine["explain"]>, Explanation>>();
assertType<Equal<ReturnType<Engine["facts"]>, KnownFacts>>();
assertType<Equal<ReturnType<Engine["checkPolicy"]>, CheckAnswer>>();
assertType<Equal<ReturnType<Engine["compose"]>, ComposedEvaluation>>();
assertType<Equal<ReturnType<Engine["composeText"]>, string>>();
assertType<Equal<ReturnType<Policy["compose"]>, ComposedEvaluation>>();
assertType<Equal<ComposedEvaluation["findings"][number]["origin"], string>>();
assertType<Equal<ComposedEvaluation["findings"][number]["expected"], unknown>>();
assertType<Equal<ReturnType<Policy["check"]>, CheckAnswer>>();
assertType<Equal<ReturnType<Policy["explain"]>, Explanation>>();
assertType<Equal<ReturnType<Policy["facts"]>, KnownFacts>>();
assertType<Equal<ReturnType<Engine["evaluateBatch"]>, BatchItem[]>>();
assertType<Equal<ReturnType<Engine["open"]>, OpenEnvelope>>();
assertType<Equal<ReturnType<Policy["openText"]>, OpenEnvelope>>();
assertType<Equal<ReturnType<OpenEnvelope["evaluate"]>, Evaluation>>();
assertType<Equal<ReturnType<OpenEnvelope["evaluateText"]>, string>>();
assertType<Equal<Policy["rules"], readonly RuleInfo[]>>();
assertType<Equal<RuleInfo["flag"], string | null>>();
assertType<Equal<Extract<OperationName, "evaluate" | "validate_plan" | "guess">, "evaluate" | "validate_plan">>();
assertType<Equal<Explanation["reasons"][number]["conditions"], ConditionPart[] | undefined>>();
assertType<Equal<CheckAnswer["findings"][number]["severity"], "error" | "warning">>();
assertType<Equal<ReturnType<typeof createEngine>, Promise<Engine>>>();
assertType<Equal<AdjudicateError["code"], AnyErrorCode>>();
assertType<ErrorCode extends AnyErrorCode ? true : false>();
assertType<Equal<Extract<ErrorCode, "trap" | "engine_load" | "unknown_field">, "trap" | "engine_load" | "unknown_field">>();

const envelope: Envelope = {
  run_id: "run-1",
  workflow_id: "release",
  step_id: "evaluate",
  evaluate_prompt: "release.v1",
  allowed_next_steps: ["publish"],
  provenance_window: [],
  evidence: {
    transcript_summary: "",
    workspace_diff_summary: "",
    validation: { mechanical_outcome: "completed", exit_codes: { test: 0 }, timeouts: [], took_ms: 3, "x-took": 3 },
    artifacts: [],
    policy_events: [],
    claims: ["implemented"],
    harness_report: { proposed_goldens: ["goldens/a.json"] },
    uncollected: [{ what: "coverage", reason: "the tool is not installed" }],
    required_validators: [],
    diff: { files: [{ path: "a", change: "added" }, { path: "b", change: "renamed", from: "c" }] },
  },
  steps: { publish: { role: "forward" } },
  "x-note": { anything: true },
};
const document: PolicyDocument = {
  policy: "house",
  version: "1.0.0",
  required_validators: [],
  review: "first",
  parameters: { partial_threshold: 2 },
};

export function decide(engine: Engine): string {
  const policy: Policy = engine.policy(document);
  try {
    const { decision } = engine.evaluate(envelope, { policy: document });
    switch (decision.status) {
      case "success":
      case "partial":
        return decision.next_step ?? decision.fix_instructions?.objective ?? "";
      case "blocked":
      case "needs_human":
      case "unsafe":
        return decision.blockers.map(({ code, severity }) => `${code}: ${severity}`).join();
    }
  } catch (error) {
    if (error instanceof AdjudicateError && error.code === "missing_field") return error.path;
    throw error;
  } finally {
    policy.free();
  }
}

export function decideWhole(engine: Engine): Status[] {
  const calls: EvaluateCall[] = [{ envelope }, { envelope, policy: null }, { envelope, policy: document, "x-id": 1 }];
  return calls.map((call) => engine.evaluate(call).decision.status);
}

/** Answers have discriminating fields. */
export function settle(item: BatchItem): string {
  return item.ok ? item.ok.decision.status : `${item.error.code} at ${item.error.path}`;
}

export function describe(event: LoopEvent): string {
  switch (event.event) {
    case "evaluate_selected":
      return event.next_step ?? event.status;
    case "refinement_spent":
      return `${event.spent} of ${event.cap}`;
    case "escalated":
      return event.reason;
    case "review_completed":
    case "refinement_requested":
      return "";
  }
}

export function loop(engine: Engine): Revision {
  const evaluation = engine.evaluate(envelope);
  const call: RefineCall = { envelope, policy: null, evaluation, "x-id": 1 };
  const revision: Revision = engine.call("refine", call);
  const { refinement, history_entry } = revision.next;
  const next: Envelope = { ...envelope, refinement, evaluate_history: [history_entry] };
  // @ts-expect-error: an input is read-only
  next.evaluate_history = [];
  return engine.refine(next, { policy: document, evaluation });
}

export function why(engine: Engine): string[] {
  const { counterfactual, reasons }: Explanation = engine.explain({ envelope, policy: document }, { trace: true });
  const whole: Explanation = engine.call("explain", envelope);
  const changes = counterfactual?.changes.map(({ path }) => path) ?? [];
  return [...changes, ...reasons.map(({ rule, status }) => `${rule}: ${status}`), ...whole.reasons.map(({ rule }) => rule)];
}

/** The members of compositions, in both forms. */
export function agree(engine: Engine): Status[] {
  const theirs: Evaluation = engine.evaluate(envelope);
  using parsed = engine.policy(document);
  const members: CompositionMember[] = [document, parsed, { origin: "theirs", answer: theirs }];
  const first: ComposedEvaluation = engine.compose(envelope, { policy: parsed, override: document, restrict: members });
  members.push({ origin: "both", answer: first });
  const texts: CompositionMemberText[] = ["{}", new Uint8Array(2), parsed, { origin: "theirs", answer: "{}" }];
  engine.composeText("{}", { policy: parsed, restrict: texts });
  const last = parsed.compose(envelope, { restrict: members, override: null });
  parsed.composeText("{}", { override: "{}" });
  return [first.decision.status, last.decision.status];
}

export function decideOnce(): string {
  using policy = createEngineSync().policyText("{}");
  return policy.evaluateText(new Uint8Array(2));
}

export const earlier: Entry[] = [
  { step_id: "s", opcode: "EVALUATE", status: "partial", diff_summary: "", risk_flags: [], blocker_codes: [], reviewed: true },
  { step_id: "s", opcode: "RUN_AGENT", outcome: "completed", diff_summary: "", risk_flags: [], blocker_codes: [] },
  // @ts-expect-error: an EVALUATE entry has a status, not an outcome
  { step_id: "s", opcode: "EVALUATE", outcome: "completed", diff_summary: "", risk_flags: [], blocker_codes: [] },
];
// @ts-expect-error: the known fields of a validation keep their types
export const withTexts: Validation = { mechanical_outcome: "completed", exit_codes: { unit: "0" }, timeouts: [] };
// @ts-expect-error: a prompt reference ends in a version
export const unversioned: Envelope = { ...envelope, evaluate_prompt: "release" };
// @ts-expect-error: an unknown operator
export const misspelt: PolicyDocument = { policy: "p", version: "1.0.0", rules: [{ id: "a", when: { "=>": [1, 2] }, then: { status: "blocked", summary: "s" } }] };
// @ts-expect-error: absent is not null
export const nullish: Envelope = { ...envelope, refinement: null };
// @ts-expect-error: an unknown status
export const unknownStatus: Status = "failed";
// @ts-expect-error: text is a string or bytes
createEngineSync().evaluateText({});
// @ts-expect-error: the options are not the policy's text
createEngineSync().evaluateText("{}", "{}");
// @ts-expect-error: an unknown option
createEngineSync().evaluate(envelope, { polcy: document });
// @ts-expect-error: a parsed policy is not options
createEngineSync().evaluate(envelope, createEngineSync().policy(document));
// @ts-expect-error: a parsed policy is not a document in a call
createEngineSync().evaluate({ envelope, policy: createEngineSync().policy(document) });
createEngineSync().evaluate(envelope, { policy: createEngineSync().policy(document) });
// @ts-expect-error: a parsed policy takes no policy
createEngineSync().policy(document).evaluate(envelope, { policy: document });
// @ts-expect-error: restrictions are a list
createEngineSync().compose(envelope, { restrict: document });
// @ts-expect-error: text and values do not mix
createEngineSync().composeText("{}", { restrict: [document] });
// @ts-expect-error: an answer has an origin
createEngineSync().compose(envelope, { override: { answer: createEngineSync().evaluate(envelope) } });
// @ts-expect-error: the base of a parsed policy is itself
createEngineSync().policy(document).compose(envelope, { policy: document });
// @ts-expect-error: an unknown operation
createEngineSync().callText("guess", "{}");
// @ts-expect-error: the call of another operation
createEngineSync().call("check_policy", envelope);
// @ts-expect-error: `trace` is a boolean
createEngineSync().explain(envelope, { trace: "yes" });
// @ts-expect-error: an open envelope is evaluated under its own policy
createEngineSync().open(envelope).evaluate({ policy: document });
// @ts-expect-error: the text of a value is text
createEngineSync().openText("{}").setText("/run_id", 1);
// @ts-expect-error: a batch is a list
createEngineSync().evaluateBatch(envelope);
// @ts-expect-error: the function that creates an engine takes no policy
createEngineSync({ policy: document });
// @ts-expect-error: an unknown code
export const unknownCode: ErrorCode = "oops";
