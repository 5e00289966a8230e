/**
 * Converts the messages of an agent to the steps that a gate judges.
 *
 * A run begins after the last message of a human. A step begins with a message of the model, and has the results that follow it.
 */
import { finishReasonOf } from "../gate/finish.js";
import type { Step, StepPart, ToolCall } from "../gate/step.js";
import { itemsOf } from "../list.js";
import { own, propertyOf, type Fields } from "../own.js";
import { markOf } from "./marks.js";

/** The blocks of a message that call no tool. Calls of your tools are read from `tool_calls`. */
const INERT = ["text", "text-plain", "reasoning", "refusal", "citation", "image", "audio", "video", "file", "tool_call", "invalid_tool_call"];

/** The part of a conversation since the last message of a human. */
export interface CurrentRun {
  readonly steps: Step[];
  /** The number of messages with feedback of the gate. */
  readonly feedbacks: number;
  /** True if the last message is feedback of the gate. */
  readonly isAnswering: boolean;
}

/** @throws {Error} if the messages cannot be read. */
export function runOf(all: unknown, runtimeContext: unknown): CurrentRun {
  const messages = [...itemsOf(all, "messages")];
  const start = messages.findLastIndex((message) => typeOf(message) === "human" && markOf(message) !== "feedback") + 1;
  const current = messages.slice(start);
  const steps: { content: StepPart[]; finishReason: string; calls: Map<string, ToolCall> }[] = [];
  for (const message of current) {
    const type = typeOf(message);
    if (type === "system" || type === "human" || type === "developer" || type === "remove") continue;
    if (type === "ai") {
      // The gate's own message is no step. It calls no tools.
      const calls = callsOf(message);
      if (markOf(message) !== "stopped" || calls.length > 0) steps.push(stepOf(message, calls));
    } else if (type === "tool") {
      const last = steps.at(-1) ?? { content: [], finishReason: "tool-calls", calls: new Map<string, ToolCall>() };
      if (steps.length === 0) steps.push(last);
      last.content.push(resultOf(message, last.calls));
    } else throw new TypeError(`a message of the unknown type \`${String(type)}\``);
  }
  return {
    steps: steps.map(({ content, finishReason }) => ({ content, finishReason, runtimeContext })),
    feedbacks: current.filter((message) => markOf(message) === "feedback").length,
    isAnswering: markOf(current.at(-1)) === "feedback",
  };
}

function typeOf(message: unknown): unknown {
  return propertyOf(message, "type");
}

function listOf(message: unknown, name: string): Fields[] {
  const list = propertyOf(message, name) ?? [];
  return [...itemsOf(list, name)].map((item) => own(item as Fields) as Fields);
}

function callsOf(message: unknown): StepPart[] {
  const callsIn = (list: string, more: object) =>
    listOf(message, list).map(({ id, name, args }) => ({ type: "tool-call", toolCallId: String(id), toolName: String(name), input: args, ...more }));
  return [...callsIn("tool_calls", {}), ...callsIn("invalid_tool_calls", { invalid: true })];
}

function stepOf(message: unknown, calls: StepPart[]): { content: StepPart[]; finishReason: string; calls: Map<string, ToolCall> } {
  const content = [...listOf(message, "contentBlocks").flatMap(partsOf), ...calls];
  const byId = new Map(calls.map((call) => [String(call.toolCallId), call as ToolCall]));
  return { content, finishReason: finishOf(message, calls.length > 0), calls: byId };
}

/** Returns the part of a block. A block of an unknown type is an error of the gate, because it could be a call. */
function partsOf(block: Fields): StepPart[] {
  const type = String(block["type"]);
  if (INERT.includes(type)) return [];
  if (type === "server_tool_call") {
    return [{ type: "tool-call", toolCallId: String(block["id"]), toolName: String(block["name"]), input: block["args"] }];
  }
  if (type === "server_tool_call_result") {
    const about = { toolCallId: String(block["toolCallId"]), toolName: "server_tool" };
    return [block["status"] === "error" ? { type: "tool-error", ...about, error: block["output"] } : { type: "tool-result", ...about, output: block["output"] }];
  }
  return [{ type }];
}

function finishOf(message: unknown, isCalling: boolean): string {
  const metadata = own(propertyOf(message, "response_metadata") as Fields) as Fields;
  const word = metadata["finish_reason"] ?? metadata["stop_reason"] ?? metadata["finishReason"] ?? metadata["stopReason"];
  if (word === undefined || word === null) return isCalling ? "tool-calls" : "stop";
  return finishReasonOf(word);
}

function resultOf(message: unknown, calls: ReadonlyMap<string, ToolCall>): StepPart {
  const id = String(propertyOf(message, "tool_call_id"));
  const { toolName, input } = calls.get(id) ?? { toolName: String(propertyOf(message, "name")), input: undefined };
  const about = { toolCallId: id, toolName, input };
  const content = propertyOf(message, "content");
  if (propertyOf(message, "status") !== "error") return { type: "tool-result", ...about, output: content };
  const reason = typeof content === "string" ? content : JSON.stringify(content);
  if (markOf(message) === "denied") return { type: "tool-approval-response", toolCall: about, approved: false, reason };
  return { type: "tool-error", ...about, error: new Error(reason) };
}
