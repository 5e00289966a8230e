/** Reads the context of an interception as plain data. A field of another form than the contract's is an error. */
import { AdjudicateError } from "../error.js";
import { copyOf } from "../strict.js";
import { isPlain, kindOf, shown } from "../usage.js";
import type { AgentContext, InterceptionPoint } from "./types.js";

const SPEC = "agent-hooks/0.1";

/** The fields that each point needs, among those that this entry reads. */
const POINTS: Readonly<Record<InterceptionPoint, readonly (keyof AgentContext)[]>> = {
  agent_startup: ["agent_init"],
  input: [],
  pre_model_call: [],
  post_model_call: ["response"],
  pre_tool_call: ["tool_call"],
  post_tool_call: ["tool_call", "tool_result"],
  output: [],
  agent_shutdown: [],
};

/** The forms of fields, by their paths. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  "/agent/id": isName,
  "/session/id": isName,
  "/sequence": (value) => Number.isInteger(value) && (value as number) >= 0,
  "/agent_init/tools_registered": (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  "/response/finish_reason": (value) => typeof value === "string",
  "/tool_call/id": isName,
  "/tool_call/name": isName,
  "/tool_call/args": isPlain,
  "/tool_result/is_error": (value) => typeof value === "boolean",
};

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** @throws {AdjudicateError} `invalid_value` or `missing_field` at the path of the field. */
export function contextIn(given: unknown): AgentContext {
  const context = copyOf(given ?? null, "context: ");
  if (!isPlain(context)) throw invalid("", `expected an object, found ${kindOf(context)}`);
  const { spec, interception_point: point } = context as Partial<Record<keyof AgentContext, unknown>>;
  if (spec !== SPEC) throw invalid("/spec", `expected \`${SPEC}\`, found ${shown(spec)}`);
  if (typeof point !== "string" || !Object.hasOwn(POINTS, point)) {
    throw invalid("/interception_point", `expected one of ${Object.keys(POINTS).join(", ")}, found ${shown(point)}`);
  }
  const needed: readonly string[] = ["agent", "session", "sequence", ...POINTS[point as InterceptionPoint]];
  for (const name of ["target", ...needed]) {
    if (!Object.hasOwn(context, name)) throw new AdjudicateError("missing_field", `missing field \`${name}\``, `/${name}`);
  }
  for (const [path, isValid] of Object.entries(FORMS)) {
    const [, name = "", field] = path.split("/");
    if (!needed.includes(name)) continue;
    const value = (context as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined && !isPlain(value)) throw invalid(`/${name}`, `expected an object, found ${kindOf(value)}`);
    const found = field === undefined ? value : (value as Readonly<Record<string, unknown>>)[field];
    if (!isValid(found)) throw invalid(path, `found ${kindOf(found)}`);
  }
  return context as AgentContext;
}

function invalid(path: string, message: string): AdjudicateError {
  return new AdjudicateError("invalid_value", `the context is invalid: ${message}`, path);
}
