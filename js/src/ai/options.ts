/** Reads how a gate is to be made: whatever it would not heed is refused, so that no policy goes unnoticed. */
import type { RuntimePolicy, TriggerKind } from "../generated/types.js";
import { isClose } from "../suggest.js";
import { isPlain, kindOf, shortened, wrongUsage } from "../usage.js";
import type { GateOptions, Judge, ToolRule } from "./gate.js";

const OPTIONS = ["tools", "guardrails", "callPolicy", "stepPolicy", "runId", "context", "evidence", "metrics", "onVerdict"];
const FUNCTIONS = ["context", "evidence", "metrics", "onVerdict"] as const;
const RULE = ["kind", "changes"];

/** The events that a gate knows of. */
const HEARD: readonly TriggerKind[] = ["onStart", "onNodeComplete", "onValidationFail", "onTimeout", "onMetricBelow"];

/** Options that were read, each once. */
export interface Settings extends Omit<GateOptions, "tools" | "guardrails" | "runId"> {
  readonly tools: ReadonlyMap<string, ToolRule>;
  readonly guardrails: RuntimePolicy[];
  readonly runId: string;
}

/** @throws {AdjudicateError} `wrong_usage`. */
export function settingsOf(options: GateOptions): Settings {
  refuseOthers(options, "a gate's options", OPTIONS);
  const { tools, guardrails = [], runId = "run", ...more } = options;
  for (const name of FUNCTIONS) {
    const given: unknown = more[name];
    if (given !== undefined && typeof given !== "function") throw wrongUsage(`\`${name}\` is a function, found ${kindOf(given)}`);
  }
  for (const name of ["callPolicy", "stepPolicy"] as const) {
    const given: unknown = more[name] ?? undefined;
    if (given !== undefined && (typeof given !== "object" || Array.isArray(given))) {
      throw wrongUsage(`\`${name}\` is a policy document or a parsed policy, found ${kindOf(given)}`);
    }
  }
  if (typeof runId !== "string") throw wrongUsage(`\`runId\` is a name, found ${kindOf(runId)}`);
  if (!Array.isArray(guardrails)) throw wrongUsage(`\`guardrails\` is a list, found ${kindOf(guardrails)}`);
  return { ...more, tools: rulesOf(tools), guardrails: [...(guardrails as RuntimePolicy[])], runId };
}

/** @throws {AdjudicateError} `wrong_usage` for what cannot judge. */
export function refuseOtherThanJudge(judge: Judge): void {
  for (const name of ["applyGuardrails", "evaluate", "refine"] as const) {
    if (typeof (judge as Partial<Judge> | null | undefined)?.[name] !== "function") {
      throw wrongUsage(`a gate is made with an engine or a policy module, found ${kindOf(judge)} without \`${name}\``);
    }
  }
}

/** Refuses a guardrail that would never be asked; that they are guardrails was found out before. */
export function refuseUnheard(guardrails: readonly RuntimePolicy[]): void {
  for (const { id, trigger } of guardrails) {
    if (HEARD.includes(trigger.kind)) continue;
    throw wrongUsage(`the guardrail \`${shortened(id)}\` waits for \`${trigger.kind}\`, of which a gate never hears`);
  }
}

function rulesOf(tools: unknown): Map<string, ToolRule> {
  if (!isPlain(tools)) throw wrongUsage(`\`tools\` are rules by the names of tools, found ${kindOf(tools)}`);
  const rules = new Map<string, ToolRule>();
  for (const [name, rule] of Object.entries(tools) as [string, ToolRule][]) {
    refuseOthers(rule, `the rule of \`${shortened(name)}\``, RULE);
    const { kind, changes } = rule;
    if (kind !== undefined && typeof kind !== "string") throw wrongUsage(`\`kind\` is a name, found ${kindOf(kind)}`);
    if (changes !== undefined && typeof changes !== "function") {
      throw wrongUsage(`\`changes\` is a function from the input of a call to files, found ${kindOf(changes)}`);
    }
    rules.set(name, rule);
  }
  return rules;
}

function refuseOthers(given: unknown, what: string, names: readonly string[]): void {
  if (!isPlain(given)) throw wrongUsage(`${what} must be a plain object, found ${kindOf(given)}`);
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key === "string" && names.includes(key)) continue;
    const close = names.find((name) => isClose(String(key), name));
    const hint = close === undefined ? `there are ${names.join(", ")}` : `did you mean \`${close}\`?`;
    throw wrongUsage(`${what}: unknown member \`${shortened(String(key))}\`, ${hint}`);
  }
}
