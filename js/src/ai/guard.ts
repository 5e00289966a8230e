/** Tools behind a gate, for SDKs that ask a tool itself whether it needs an approval. */
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { memberOf, own } from "../own.js";
import { jsonOf } from "../strict.js";
import { wellFormed } from "./words.js";
import type { Gate, GuardedTool } from "./gate.js";
import { refusalOf } from "./refusal.js";
import type { ToolApproval, ToolApprovalRequest } from "./sdk.js";

/** What an SDK hands a tool beside its input. */
interface Given {
  readonly toolCallId?: unknown;
  readonly messages?: unknown;
  readonly context?: unknown;
  readonly experimental_context?: unknown;
}

type Execute = (input: unknown, given?: Given) => unknown;

/**
 * What becomes of a call that the gate allows: a person is asked all the same where its tool asks for that, for the SDK does
 * not look at the tool any more once somebody else has answered.
 */
export async function approvalByTool(request: Partial<ToolApprovalRequest>): Promise<ToolApproval> {
  const { toolCall, tools, toolsContext, messages } = own(request);
  const { toolName = "", toolCallId, input } = own(toolCall);
  try {
    const needsApproval = memberOf(own(tools as Named)[toolName], "needsApproval");
    const given = { toolCallId, messages, context: own(toolsContext as Named)[toolName] };
    if (!(await isWanted(needsApproval, input, given))) return { type: "approved" };
    return { type: "user-approval", reason: `the tool \`${wellFormed(toolName)}\` is run when a person has approved it` };
  } catch (error) {
    return { type: "denied", reason: `whether this call needs an approval could not be decided: ${wellFormed(reasonOf(error))}` };
  }
}

type Named = Readonly<Record<string, unknown>>;

/** Whether a tool itself asks for an approval. */
async function isWanted(needsApproval: unknown, input: unknown, given: Given | undefined): Promise<boolean> {
  const wanted: unknown = typeof needsApproval === "function" ? await (needsApproval as Execute)(input, given) : needsApproval;
  // What is neither yes nor no is a yes, as it is for the SDK.
  return Boolean(wanted);
}

/** A tool whose calls the gate judges, whatever the SDK does. */
export function guarded<Tool extends GuardedTool>(judgeCall: Gate["judgeCall"], toolName: string, tool: Tool): Tool {
  const judged = async (input: unknown, given: Given | undefined) => {
    try {
      const { toolCallId, context, experimental_context } = own(given);
      const id = String(toolCallId);
      const { action, reason } = await judgeCall({ toolName, toolCallId: id, input }, context ?? experimental_context);
      return { id, action, reason };
    } catch (error) {
      return { id: "", action: "deny", reason: `the call cannot be read: ${wellFormed(reasonOf(error))}` } as const;
    }
  };
  const [execute, needsApproval] = [memberOf(tool, "execute"), memberOf(tool, "needsApproval")];
  const behind: GuardedTool = {
    ...tool,
    needsApproval: async (input: unknown, given?: Given) => {
      const { action } = await judged(input, given);
      // A tool that somebody else runs can be kept from it by a person alone.
      if (action === "ask" || (action === "deny" && typeof execute !== "function")) return true;
      return isWanted(needsApproval, input, given);
    },
  };
  if (typeof execute === "function") {
    behind.execute = async (input: unknown, given?: Given) => {
      const { id, action, reason } = await judged(input, given);
      if (action === "deny") throw refusalOf(id, reason);
      if (action === "ask" && !isApproved(toolName, input, given)) {
        throw refusalOf(id, `a person has to approve this first: ${reason}`);
      }
      return lastOf(await (execute as Execute).call(tool, input, given));
    };
  }
  return behind as Tool;
}

/**
 * Whether a person has said yes to this very call: the conversation has it, for the SDK goes on from there. The ids of calls are
 * the model's to choose, so what was asked about must be the same tool with the same input, and must not have had its answer.
 */
function isApproved(toolName: string, input: unknown, given: Given | undefined): boolean {
  try {
    return hasApproval(toolName, input, given);
  } catch {
    return false;
  }
}

function hasApproval(toolName: string, input: unknown, given: Given | undefined): boolean {
  const { toolCallId: id, messages: all } = own(given);
  if (typeof id !== "string" || !Array.isArray(all)) return false;
  const messages = [...itemsOf(all, "messages")];
  const said = messages.flatMap((message) => partsOf(message, "assistant"));
  const answered = messages.flatMap((message) => partsOf(message, "tool"));
  const calls = said.filter(({ type, toolCallId }) => type === "tool-call" && toolCallId === id);
  if (calls.length !== 1 || calls[0]?.["toolName"] !== toolName || !isSame(calls[0]["input"], input)) return false;
  if (answered.some(({ type, toolCallId }) => type === "tool-result" && toolCallId === id)) return false;
  const asked = said.filter(({ type, toolCallId }) => type === "tool-approval-request" && toolCallId === id);
  const answers = answered.filter(({ type }) => type === "tool-approval-response");
  return asked.some(({ approvalId }) => {
    const last = answers.filter((answer) => answer["approvalId"] === approvalId).at(-1);
    return approvalId !== undefined && last?.["approved"] === true;
  });
}

function partsOf(message: unknown, speaker: "assistant" | "tool"): Named[] {
  const { role, content } = own(message as { role?: unknown; content?: unknown });
  const parts = role === speaker && Array.isArray(content) ? [...itemsOf(content, "parts")] : [];
  return parts.map((part) => own(part as Named) as Named);
}

function isSame(left: unknown, right: unknown): boolean {
  const text = (input: unknown) => new TextDecoder().decode(jsonOf({ input }));
  return text(left) === text(right);
}

/** The last piece of a result that comes in pieces. */
async function lastOf(result: unknown): Promise<unknown> {
  const pieces = result as AsyncIterable<unknown> | null | undefined;
  if (typeof pieces !== "object" || typeof pieces?.[Symbol.asyncIterator] !== "function") return result;
  let last: unknown;
  for await (const piece of pieces) last = piece;
  return last;
}
