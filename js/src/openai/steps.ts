/**
 * Converts the items of a run to the steps that a gate judges.
 *
 * The SDK keeps one list of items without turns. A turn begins with the first item of the model after a result.
 */
import type { Step, StepPart, ToolCall } from "../gate/step.js";
import { itemsOf } from "../list.js";
import { own, type Fields } from "../own.js";
import { approvalOf, isDenied } from "./records.js";
import type { RunContext } from "./sdk.js";

/** Items that call no tool. */
const INERT: Readonly<Record<string, string>> = { message: "text", reasoning: "reasoning", compaction: "custom" };
/** Calls of tools that are not functions, with the names that the gate's `tools` have for them. */
const CALLS: Readonly<Record<string, string>> = {
  apply_patch_call: "apply_patch",
  computer_call: "computer",
  program: "program",
  shell_call: "shell",
  tool_search_call: "tool_search",
};
const RESULTS: readonly string[] = [
  "apply_patch_call_output",
  "computer_call_result",
  "function_call_result",
  "program_output",
  "shell_call_output",
  "tool_search_output",
];

/** The result of a tool that threw, if the tool has no `errorFunction`. */
const FAILURE = "An error occurred while running the tool.";

/** A call, with the arguments as the model wrote them. */
type WrittenCall = ToolCall & { readonly text: string };

/** @throws {AdjudicateError} `wrong_usage` if the items are not a list. */
export function stepsOf(items: unknown, context: RunContext): Step[] {
  const turns: { content: StepPart[]; isCut: boolean }[] = [];
  const calls = new Map<string, WrittenCall>();
  let isAfterResult = true;
  for (const item of itemsOf(items, "items")) {
    const fields = own(item as Fields);
    const type = String(fields["type"] ?? (fields["role"] === undefined ? undefined : "message"));
    const isResult = RESULTS.includes(type);
    if (isAfterResult && !isResult) turns.push({ content: [], isCut: false });
    const turn = turns.at(-1) ?? { content: [], isCut: false };
    if (turns.length === 0) turns.push(turn);
    isAfterResult = isResult;
    if (isResult) turn.content.push(...resultOf(fields, calls.get(String(fields["callId"])), context));
    else turn.content.push(partOf(type, fields, calls));
    if (fields["status"] === "incomplete") turn.isCut = true;
  }
  return turns.map(({ content, isCut }) => {
    const isCalling = content.some(({ type }) => type === "tool-call");
    return { content, finishReason: isCut ? "incomplete" : isCalling ? "tool-calls" : "stop", runtimeContext: context.context };
  });
}

function partOf(type: string, fields: Fields, calls: Map<string, WrittenCall>): StepPart {
  const inert = Object.hasOwn(INERT, type) ? INERT[type] : undefined;
  if (inert !== undefined) return { type: inert };
  const isCall = type === "function_call" || type === "hosted_tool_call" || Object.hasOwn(CALLS, type);
  // A part of an unknown type is an error of the gate, because it could be a call.
  if (!isCall) return { type };
  const text = typeof fields["arguments"] === "string" ? fields["arguments"] : "";
  const toolName = Object.hasOwn(CALLS, type) ? String(CALLS[type]) : String(fields["name"]);
  const call = { toolName, toolCallId: String(fields["callId"] ?? fields["id"]), input: inputOf(type, fields, text), text };
  calls.set(call.toolCallId, call);
  return { type: "tool-call", toolName, toolCallId: call.toolCallId, input: call.input };
}

/** Returns the parsed arguments of a function, or the item itself for another tool. */
function inputOf(type: string, fields: Fields, text: string): unknown {
  if (type !== "function_call") return { ...fields };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { arguments: text };
  }
}

function resultOf(fields: Fields, call: WrittenCall | undefined, context: RunContext): StepPart[] {
  const { toolName, toolCallId, input } = call ?? { toolName: String(fields["name"]), toolCallId: String(fields["callId"]), input: undefined };
  const about = { toolName, toolCallId, input };
  const output = textOf(fields["output"]);
  const text = typeof output === "string" ? output : "";
  // The gate or a human rejected the call, so it did not run.
  if (call !== undefined && (isDenied(context, toolName, toolCallId, call.text, output) || approvalOf(context, toolName, toolCallId) === false)) {
    return [{ type: "tool-approval-response", toolCall: about, approved: false, reason: text }];
  }
  if (fields["status"] === "incomplete" || text.startsWith(FAILURE)) return [{ type: "tool-error", ...about, error: new Error(text) }];
  return [{ type: "tool-result", ...about, output }];
}

/** Returns the text of a result that is one text, or else the result. */
function textOf(output: unknown): unknown {
  const { type, text } = own(output as { type?: unknown; text?: unknown });
  return type === "text" && typeof text === "string" ? text : output;
}
