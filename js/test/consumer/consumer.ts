/**
 * A strict TypeScript user's code, and the mistakes that the compiler must find. Compiled, never run. `corpus.test.mjs` has the types of calls
 * and answers, and unknown and missing fields and words of documents.
 */
import { AdjudicateError, createEngine, createEngineSync } from "adjudicate";
import type {
  Answers,
  AnyErrorCode,
  BatchItem,
  CheckAnswer,
  ComposedEvaluation,
  CompositionMember,
  CompositionMemberText,
  Engine,
  Entry,
  Envelope,
  ErrorCode,
  EvaluateCall,
  Evaluation,
  Explanation,
  Finding,
  IsolatedModule,
  LoopEvent,
  OpenEnvelope,
  OperationName,
  Policy,
  PolicyDocument,
  PolicyModule,
  RefineCall,
  Revision,
  RuleInfo,
  Status,
  Validation,
} from "adjudicate";

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

// Each operation has a method for values and one for text, with its answer.
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Returned<Owner, Name> = Name extends keyof Owner ? (Owner[Name] extends (...given: never[]) => infer Answer ? Answer : never) : never;
type Methods<Owner, Name extends string> = [Returned<Owner, Camel<Name>>, Returned<Owner, `${Camel<Name>}Text`>];
type Answered<Owner> = { [Name in OperationName]: Methods<Owner, Name> };
assertType<Equal<Answered<Engine>, { [Name in OperationName]: [Answers[Name], string] }>>();
assertType<Equal<Answered<PolicyModule>, { [Name in OperationName]: [Answers[Name], string] }>>();
assertType<Equal<Answered<IsolatedModule>, { [Name in OperationName]: [Promise<Answers[Name]>, Promise<string>] }>>();
type OfPolicy = "evaluate" | "refine" | "explain" | "facts";
assertType<Equal<Pick<Answered<Policy>, OfPolicy>, { [Name in OfPolicy]: [Answers[Name], string] }>>();
assertType<Equal<Methods<Engine, "compose">, [ComposedEvaluation, string]>>();
assertType<Equal<Methods<Policy, "compose">, [ComposedEvaluation, string]>>();
assertType<Equal<Methods<Engine, "open">, [OpenEnvelope, OpenEnvelope]>>();
assertType<Equal<Methods<Policy, "open">, [OpenEnvelope, OpenEnvelope]>>();
assertType<Equal<Methods<OpenEnvelope, "evaluate">, [Evaluation, string]>>();
assertType<Equal<[Methods<Policy, "check">, Methods<Engine, "evaluate_batch">], [[CheckAnswer, string], [BatchItem[], string]]>>();
assertType<Equal<ReturnType<typeof createEngine>, Promise<Engine>>>();

// The answer: unions and null.
assertType<Equal<Status, "success" | "partial" | "blocked" | "needs_human" | "unsafe">>();
assertType<Equal<Evaluation["decision"]["next_step"], string | null>>();
assertType<Equal<Finding["expected"], number | string | string[] | null | undefined>>();
assertType<Equal<ComposedEvaluation["findings"][number]["origin"], string>>();
assertType<Equal<ComposedEvaluation["findings"][number]["expected"], unknown>>();
// Left out where findings are: the next evaluation then compares codes.
assertType<Revision["next"]["history_entry"]["blockers"] extends Entry["blockers"] ? true : false>();
assertType<Equal<Validation["exit_codes"], Readonly<Record<string, number>>>>();
assertType<Equal<Envelope["evaluate_prompt"], `${string}.v${number}`>>();
assertType<Equal<Policy["rules"], readonly RuleInfo[]>>();
assertType<Equal<AdjudicateError["code"], AnyErrorCode>>();
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
  },
  "x-note": { anything: true },
};
const document: PolicyDocument = { policy: "house", version: "1.0.0", required_validators: [], review: "first" };

export const calls: EvaluateCall[] = [{ envelope }, { envelope, policy: null }, { envelope, policy: document, "x-id": 1 }];

export function decide(engine: Engine): string {
  const policy: Policy = engine.policy(document);
  try {
    const { decision } = engine.evaluate(envelope, { policy: document });
    return decision.next_step ?? decision.blockers.map(({ code, severity }) => `${code}: ${severity}`).join();
  } catch (error) {
    if (error instanceof AdjudicateError && error.code === "missing_field") return error.path;
    throw error;
  } finally {
    policy.free();
  }
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
  const { reasons }: Explanation = engine.explain({ envelope: next, policy: document }, { trace: true });
  return engine.refine(next, { policy: document, evaluation: reasons.length === 0 ? null : evaluation });
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
const engine = createEngineSync();
const policy = engine.policy(document);
// @ts-expect-error: text is a string or bytes
engine.evaluateText({});
// @ts-expect-error: the options are not the policy's text
engine.evaluateText("{}", "{}");
// @ts-expect-error: an unknown option
engine.evaluate(envelope, { polcy: document });
// @ts-expect-error: a parsed policy is not options
engine.evaluate(envelope, policy);
// @ts-expect-error: a parsed policy is not a document in a call
engine.evaluate({ envelope, policy });
engine.evaluate(envelope, { policy });
// @ts-expect-error: a parsed policy takes no policy
policy.evaluate(envelope, { policy: document });
// @ts-expect-error: restrictions are a list
engine.compose(envelope, { restrict: document });
// @ts-expect-error: text and values do not mix
engine.composeText("{}", { restrict: [document] });
// @ts-expect-error: an answer has an origin
engine.compose(envelope, { override: { answer: engine.evaluate(envelope) } });
// @ts-expect-error: the base of a parsed policy is itself
policy.compose(envelope, { policy: document });
// @ts-expect-error: an unknown operation
engine.callText("guess", "{}");
// @ts-expect-error: the call of another operation
engine.call("check_policy", envelope);
// @ts-expect-error: `trace` is a boolean
engine.explain(envelope, { trace: "yes" });
// @ts-expect-error: an open envelope is evaluated under its own policy
engine.open(envelope).evaluate({ policy: document });
// @ts-expect-error: the text of a value is text
engine.openText("{}").setText("/run_id", 1);
// @ts-expect-error: a batch is a list
engine.evaluateBatch(envelope);
// @ts-expect-error: the function that creates an engine takes no policy
createEngineSync({ policy: document });
// @ts-expect-error: an unknown code
export const unknownCode: ErrorCode = "oops";
