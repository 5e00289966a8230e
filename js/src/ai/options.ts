/** Reads how a gate is to be made: whatever it would not heed is refused, so that no policy goes unnoticed. */
import type { RuntimePolicy, TriggerKind } from "../generated/types.js";
import { AdjudicateError, reasonOf } from "../error.js";
import { copyOf } from "../strict.js";
import { isClose } from "../suggest.js";
import { isPlain, kindOf, shortened, wrongUsage } from "../usage.js";
import type { GateOptions, Judge, ParsedPolicy, ToolRule } from "./gate.js";
import { relativeTo } from "./root.js";

const OPTIONS = [
  "tools",
  "root",
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
export interface Settings extends Omit<GateOptions, "tools" | "root" | "guardrails" | "runId"> {
  readonly tools: ReadonlyMap<string, ToolRule>;
  readonly guardrails: RuntimePolicy[];
  readonly runId: string;
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
  if (typeof runId !== "string") throw wrongUsage(`\`runId\` is a name, found ${kindOf(runId)}`);
  if (!Array.isArray(guardrails)) throw wrongUsage(`\`guardrails\` is a list, found ${kindOf(guardrails)}`);
  const settings: Record<string, unknown> = {
    tools: rulesOf(tools, relativeTo(root)),
    guardrails: copyOf(guardrails, "guardrails: "),
    runId,
    callPolicy: policyIn(given, "callPolicy"),
    stepPolicy: policyIn(given, "stepPolicy"),
  };
  for (const name of FUNCTIONS) {
    const value = given[name];
    if (value !== undefined && typeof value !== "function") throw wrongUsage(`\`${name}\` is a function, found ${kindOf(value)}`);
    settings[name] = value?.bind(options);
  }
  return settings as unknown as Settings;
}

function policyIn(given: Readonly<Record<string, unknown>>, name: "callPolicy" | "stepPolicy"): unknown {
  const policy = given[name] ?? undefined;
  if (policy === undefined || isParsed(policy)) return policy;
  if (typeof policy === "object" && !Array.isArray(policy)) return copyOf(policy, `${name}: `);
  throw wrongUsage(`\`${name}\` is a policy document or a parsed policy, found ${kindOf(policy)}`);
}

/** Whether it is no document, but a policy that answers by itself. */
export function isParsed(policy: unknown): policy is ParsedPolicy {
  return typeof (policy as Partial<ParsedPolicy> | null | undefined)?.evaluate === "function";
}

/** @throws {AdjudicateError} `wrong_usage` for what cannot judge. */
export function refuseOtherThanJudge(judge: Judge): void {
  for (const name of ["applyGuardrails", "evaluate", "refine"] as const) {
    if (typeof (judge as Partial<Judge> | null | undefined)?.[name] !== "function") {
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
export function nodeOf(toolName: string, rule: ToolRule | undefined): GuardrailNode {
  return { nodeId: toolName, kind: rule?.kind ?? "tool", capabilityId: toolName };
}

type GuardrailNode = Record<"nodeId" | "kind" | "capabilityId", string>;

function rulesOf(tools: unknown, relative: (files: unknown) => unknown): Map<string, ToolRule> {
  if (!isPlain(tools)) throw wrongUsage(`\`tools\` are rules by the names of tools, found ${kindOf(tools)}`);
  const rules = new Map<string, ToolRule>();
  for (const [name, rule] of Object.entries(tools)) {
    const { kind, changes } = membersOf(rule, `the rule of \`${shortened(name)}\``, RULE);
    if (kind !== undefined && typeof kind !== "string") throw wrongUsage(`\`kind\` is a name, found ${kindOf(kind)}`);
    if (changes !== undefined && typeof changes !== "function") {
      throw wrongUsage(`\`changes\` is a function from the input of a call to files, found ${kindOf(changes)}`);
    }
    const changed = changes && (((input) => relative(changes.call(rule, input))) as Changes);
    rules.set(name, { ...(kind !== undefined && { kind }), ...(changed && { changes: changed }) });
  }
  return rules;
}

type Changes = NonNullable<ToolRule["changes"]>;

/** The members of an object, each read once: those of these names, and there may be no others. */
function membersOf(given: unknown, what: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isPlain(given)) throw wrongUsage(`${what} must be a plain object, found ${kindOf(given)}`);
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key === "string" && names.includes(key)) continue;
    const close = names.find((name) => isClose(String(key), name));
    const hint = close === undefined ? `there are ${names.join(", ")}` : `did you mean \`${close}\`?`;
    throw wrongUsage(`${what}: unknown member \`${shortened(String(key))}\`, ${hint}`);
  }
  return Object.fromEntries(names.map((name) => [name, Reflect.get(given, name) as unknown]));
}
