/** Reads how a gate is to be made: whatever it would not heed is refused, so that no policy goes unnoticed. */
import type { DiffFile, PolicyDocument, RuntimePolicy, TriggerKind } from "../generated/types.js";
import { AdjudicateError, reasonOf } from "../error.js";
import { memberOf, own } from "../own.js";
import { copyOf } from "../strict.js";
import { isClose } from "../suggest.js";
import { isPlain, kindOf, shortened, wrongUsage } from "../usage.js";
import type { GateOptions, Judge, ParsedPolicy, ToolRule } from "./gate.js";
import { refuseOtherWords, withPathFields, workspaceFor } from "./paths.js";
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

/** The events that a gate knows of. */
const HEARD: readonly TriggerKind[] = ["onStart", "onNodeComplete", "onValidationFail", "onTimeout", "onMetricBelow"];

/** Options that were read, each once; what somebody does to them later changes nothing. */
export interface Settings extends Pick<GateOptions, (typeof FUNCTIONS)[number]> {
  readonly tools: ReadonlyMap<string, Rule>;
  readonly guardrails: RuntimePolicy[];
  readonly runId: string;
  /** All that are asked about a call. */
  readonly callPolicies: readonly (PolicyDocument | ParsedPolicy)[];
  readonly stepPolicy: PolicyDocument | ParsedPolicy | undefined;
  /** Asked about the files of a step, where `stepPolicy` cannot be given the gate's `outside`. */
  readonly stepWorkspace: PolicyDocument | undefined;
}

/** What is known of a tool. */
export interface Rule {
  readonly kind: string;
  readonly changes: ((input: object) => readonly DiffFile[]) | undefined;
}

/** @throws {AdjudicateError} `wrong_usage`; `invalid_value` for documents without a JSON form. */
export function settingsOf(options: GateOptions): Settings {
  try {
    return read(options);
  } catch (thrown) {
    if (thrown instanceof AdjudicateError) throw thrown;
    // A getter or a proxy of the caller's.
    throw wrongUsage(`a gate's options cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

function read(options: GateOptions): Settings {
  const given = membersOf(options, "a gate's options", OPTIONS);
  const { tools, root, guardrails = [], runId = "run" } = given;
  const paths = given as Pick<GateOptions, "outside" | "path_case">;
  refuseOtherWords(paths);
  if (typeof runId !== "string") throw wrongUsage(`\`runId\` is a name, found ${kindOf(runId)}`);
  if (!Array.isArray(guardrails)) throw wrongUsage(`\`guardrails\` is a list, found ${kindOf(guardrails)}`);
  const [callPolicy, stepPolicy] = (["callPolicy", "stepPolicy"] as const).map((name) => policyIn(given, name, paths));
  const workspaceBeside = (policy: unknown) => (policy === undefined || isParsed(policy) ? workspaceFor(paths) : undefined);
  const settings: Record<string, unknown> = {
    tools: rulesOf(tools, relativeTo(root, paths.path_case === "ascii_insensitive")),
    guardrails: copyOf(guardrails, "guardrails: "),
    runId,
    callPolicies: [callPolicy, workspaceBeside(callPolicy)].filter((policy) => policy !== undefined),
    stepPolicy,
    stepWorkspace: workspaceBeside(stepPolicy),
  };
  for (const name of FUNCTIONS) {
    const value = given[name];
    if (value !== undefined && typeof value !== "function") throw wrongUsage(`\`${name}\` is a function, found ${kindOf(value)}`);
    settings[name] = value?.bind(options);
  }
  return settings as unknown as Settings;
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

/** Whether it is no document, but a policy that answers by itself. */
export function isParsed(policy: unknown): policy is ParsedPolicy {
  return typeof memberOf(policy, "evaluate") === "function";
}

/** @throws {AdjudicateError} `wrong_usage` for what cannot judge. */
export function refuseOtherThanJudge(judge: Judge): void {
  for (const name of ["applyGuardrails", "evaluate", "refine"] as const) {
    if (typeof memberOf(judge, name) !== "function") {
      throw wrongUsage(`a gate is made with an engine or a policy module, found ${kindOf(judge)} without \`${name}\``);
    }
  }
}

/** Refuses guardrails that would never be asked; that they are guardrails was found out before. */
export function refuseUnheard({ guardrails, tools }: Pick<Settings, "guardrails" | "tools">): void {
  for (const { id, trigger } of guardrails) {
    const refuse = (why: string) => wrongUsage(`the guardrail \`${shortened(id)}\` ${why}`);
    if (!HEARD.includes(trigger.kind)) throw refuse(`waits for \`${trigger.kind}\`, of which a gate never hears`);
    const { selector, nodeId } = trigger;
    if (selector === undefined && nodeId === undefined) continue;
    if (trigger.kind === "onMetricBelow") throw refuse("selects a tool, and numbers are of none");
    const wanted = Object.entries({ nodeId, ...selector }).filter(([, value]) => typeof value === "string");
    const isThere = [...tools].some(([name, rule]) => {
      const node: Record<string, string> = nodeOf(name, rule);
      return wanted.every(([member, value]) => member.startsWith("x-") || node[member] === value);
    });
    if (!isThere) throw refuse("selects a tool that there is not");
  }
}

/** What guardrails see of a tool. */
export function nodeOf(toolName: string, rule: Rule | undefined): GuardrailNode {
  return { nodeId: toolName, kind: rule?.kind ?? "tool", capabilityId: toolName };
}

type GuardrailNode = Record<"nodeId" | "kind" | "capabilityId", string>;

function rulesOf(tools: unknown, relative: (files: unknown) => unknown): Map<string, Rule> {
  if (!isPlain(tools)) throw wrongUsage(`\`tools\` are rules by the names of tools, found ${kindOf(tools)}`);
  const rules = new Map<string, Rule>();
  for (const [name, rule] of Object.entries(tools)) {
    const { kind = "tool", changes } = membersOf(rule, `the rule of \`${shortened(name)}\``, RULE);
    if (typeof kind !== "string") throw wrongUsage(`\`kind\` is a name, found ${kindOf(kind)}`);
    if (changes !== undefined && typeof changes !== "function") {
      throw wrongUsage(`\`changes\` is a function from the input of a call to files, found ${kindOf(changes)}`);
    }
    const changed = changes && (((input) => relative(changes.call(rule, input))) as NonNullable<ToolRule["changes"]>);
    rules.set(name, { kind, changes: changed });
  }
  return rules;
}

/** The members of an object, each read once: those of these names, and there may be no others. */
function membersOf(given: unknown, what: string, names: readonly string[]): Record<string, unknown> {
  if (!isPlain(given)) throw wrongUsage(`${what} must be a plain object, found ${kindOf(given)}`);
  const members = own(given as Record<string, unknown>);
  for (const key of Reflect.ownKeys(members)) {
    if (typeof key === "string" && names.includes(key)) continue;
    const close = names.find((name) => isClose(String(key), name));
    const hint = close === undefined ? `there are ${names.join(", ")}` : `did you mean \`${close}\`?`;
    throw wrongUsage(`${what}: unknown member \`${shortened(String(key))}\`, ${hint}`);
  }
  return members;
}
