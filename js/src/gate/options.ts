/** Reads the options of a gate. An option that would have no effect is an error, so that no policy is silently ignored. */
import type { DiffFile, PolicyDocument, RuntimePolicy, TriggerKind } from "../generated/types.js";
import { propertyOf, own } from "../own.js";
import { copyOf } from "../strict.js";
import { refuseUnknown } from "../suggest.js";
import { isPlain, kindOf, readable, shortened, wrongUsage } from "../usage.js";
import type { GateOptions, Judge, ParsedPolicy, ToolRule } from "./types.js";
import { checkPathOptions, withPathFields, workspaceFor } from "./paths.js";
import { relativeTo } from "./root.js";

const OPTIONS = [
  "tools",
  "root",
  "outside",
  "path_case",
  "guardrails",
  "callPolicy",
  "stepPolicy",
  "runId",
  "context",
  "evidence",
  "metrics",
  "onVerdict",
];
const FUNCTIONS = ["context", "evidence", "metrics", "onVerdict"] as const;
const RULE = ["kind", "changes"];

/** The triggers whose events a gate sees. */
const TRIGGERS: readonly TriggerKind[] = ["onStart", "onNodeComplete", "onValidationFail", "onTimeout", "onMetricBelow"];

/** The options of a gate. Each is read once, so later changes to the object have no effect. */
export interface GateSettings extends Pick<GateOptions, (typeof FUNCTIONS)[number]> {
  readonly tools: ReadonlyMap<string, Rule>;
  readonly guardrails: RuntimePolicy[];
  readonly runId: string;
  /** The policies for a call. */
  readonly callPolicies: readonly (PolicyDocument | ParsedPolicy)[];
  readonly stepPolicy: PolicyDocument | ParsedPolicy | undefined;
  /** A further policy for the files of a step, if the gate cannot set `outside` in `stepPolicy`. */
  readonly stepWorkspace: PolicyDocument | undefined;
}

/** The rule of a tool, with its defaults. */
export interface Rule {
  readonly kind: string;
  readonly changes: ((input: object) => readonly DiffFile[]) | undefined;
}

/** @throws {AdjudicateError} `wrong_usage`; `invalid_value` for documents without a JSON form. */
export function settingsOf(options: GateOptions): GateSettings {
  return readable("the options of the gate", () => read(options));
}

function read(options: GateOptions): GateSettings {
  const given = fieldsOf(options, "the options of the gate", OPTIONS);
  const { tools, root, guardrails = [], runId = "run" } = given;
  const paths = given as Pick<GateOptions, "outside" | "path_case">;
  checkPathOptions(paths);
  if (typeof runId !== "string") throw wrongUsage(`\`runId\` is a string, found ${kindOf(runId)}`);
  if (!Array.isArray(guardrails)) throw wrongUsage(`\`guardrails\` is a list, found ${kindOf(guardrails)}`);
  const [callPolicy, stepPolicy] = (["callPolicy", "stepPolicy"] as const).map((name) => policyIn(given, name, paths));
  const workspacePolicy = (policy: unknown) => (policy === undefined || isParsed(policy) ? workspaceFor(paths) : undefined);
  const settings: Record<string, unknown> = {
    tools: rulesOf(tools, relativeTo(root, paths.path_case === "ascii_insensitive")),
    guardrails: copyOf(guardrails, "guardrails: "),
    runId,
    callPolicies: [callPolicy, workspacePolicy(callPolicy)].filter((policy) => policy !== undefined),
    stepPolicy,
    stepWorkspace: workspacePolicy(stepPolicy),
  };
  for (const name of FUNCTIONS) {
    const value = given[name];
    if (value !== undefined && typeof value !== "function") throw wrongUsage(`\`${name}\` is a function, found ${kindOf(value)}`);
    settings[name] = value?.bind(options);
  }
  return settings as unknown as GateSettings;
}

function policyIn(
  given: Readonly<Record<string, unknown>>,
  name: "callPolicy" | "stepPolicy",
  paths: Pick<GateOptions, "outside" | "path_case">,
): PolicyDocument | ParsedPolicy | undefined {
  const policy = given[name] ?? undefined;
  if (policy === undefined) return policy;
  if (isParsed(policy)) {
    if (paths.path_case === undefined) return policy;
    throw wrongUsage(`\`${name}\` is parsed already: set \`path_case\` in its document`);
  }
  if (typeof policy === "object" && !Array.isArray(policy)) {
    return withPathFields(copyOf(policy, `${name}: `) as PolicyDocument, paths, name);
  }
  throw wrongUsage(`\`${name}\` is a policy document or a parsed policy, found ${kindOf(policy)}`);
}

/** Returns true for a parsed policy, and false for a document. */
export function isParsed(policy: unknown): policy is ParsedPolicy {
  return typeof propertyOf(policy, "evaluate") === "function";
}

/** @throws {AdjudicateError} `wrong_usage` if the argument does not have the methods of a judge. */
export function checkJudge(judge: Judge): void {
  for (const name of ["applyGuardrails", "evaluate", "refine"] as const) {
    if (typeof propertyOf(judge, name) !== "function") {
      throw wrongUsage(`expected an engine or a policy module, found ${kindOf(judge)} without \`${name}\``);
    }
  }
}

/** Rejects guardrails that would never apply. The judge has already checked their form. */
export function checkGuardrails({ guardrails, tools }: Pick<GateSettings, "guardrails" | "tools">): void {
  for (const { id, trigger } of guardrails) {
    const refuse = (why: string) => wrongUsage(`the guardrail \`${shortened(id)}\` ${why}`);
    if (!TRIGGERS.includes(trigger.kind)) throw refuse(`has the trigger \`${trigger.kind}\`; a gate supports ${TRIGGERS.join(", ")}`);
    const { selector, nodeId } = trigger;
    if (selector === undefined && nodeId === undefined) continue;
    if (trigger.kind === "onMetricBelow") throw refuse("selects a tool, but metrics belong to no tool");
    const wanted = Object.entries({ nodeId, ...selector }).filter(([, value]) => typeof value === "string");
    const isKnown = [...tools].some(([name, rule]) => {
      const node: Record<string, string> = nodeOf(name, rule);
      return wanted.every(([field, value]) => field.startsWith("x-") || node[field] === value);
    });
    if (!isKnown) throw refuse("selects an unknown tool");
  }
}

/** Returns the node that guardrails see for a tool. */
export function nodeOf(toolName: string, rule: Rule | undefined): GuardrailNode {
  return { nodeId: toolName, kind: rule?.kind ?? "tool", capabilityId: toolName };
}

type GuardrailNode = Record<"nodeId" | "kind" | "capabilityId", string>;

function rulesOf(tools: unknown, relative: (files: unknown) => unknown): Map<string, Rule> {
  if (!isPlain(tools)) throw wrongUsage(`\`tools\` is an object with a rule for each tool, found ${kindOf(tools)}`);
  const rules = new Map<string, Rule>();
  for (const [name, rule] of Object.entries(tools)) {
    const { kind = "tool", changes } = fieldsOf(rule, `the rule of \`${shortened(name)}\``, RULE);
    if (typeof kind !== "string") throw wrongUsage(`\`kind\` is a string, found ${kindOf(kind)}`);
    if (changes !== undefined && typeof changes !== "function") {
      throw wrongUsage(`\`changes\` is a function, found ${kindOf(changes)}`);
    }
    const changed = changes && (((input) => relative(changes.call(rule, input))) as NonNullable<ToolRule["changes"]>);
    rules.set(name, { kind, changes: changed });
  }
  return rules;
}

/** Returns the fields of an object, each read once. An unknown field is an error. */
function fieldsOf(given: unknown, what: string, names: readonly string[]): Record<string, unknown> {
  if (!isPlain(given)) throw wrongUsage(`expected ${what} in a plain object, found ${kindOf(given)}`);
  const fields = own(given as Record<string, unknown>);
  refuseUnknown(fields, names, `${what}: unknown field`, `the fields are ${names.join(", ")}`);
  return fields;
}
