/** Guarded tools, for SDKs that ask only the tool itself for approvals. */
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { propertyOf, own } from "../own.js";
import { jsonOf } from "../strict.js";
import { refusalOf } from "../gate/refusal.js";
import { wellFormed } from "../gate/texts.js";
import type { Gate, GuardedTool } from "./gate.js";
import type { ToolApproval, ToolApprovalRequest } from "./sdk.js";

/** The second argument of `execute` and `needsApproval`. */
interface ToolOptions {
  readonly toolCallId?: unknown;
  readonly messages?: unknown;
  readonly context?: unknown;
  readonly experimental_context?: unknown;
}

type Execute = (input: unknown, given?: ToolOptions) => unknown;

/**
 * Returns the approval of a call that the gate allows. The SDK does not ask the tool once `toolApproval` has answered, so this asks the
 * tool's own `needsApproval`.
 */
export async function approvalByTool(request: Partial<ToolApprovalRequest>): Promise<ToolApproval> {
  const { toolCall, tools, toolsContext, messages } = own(request);
  const { toolName = "", toolCallId, input } = own(toolCall);
  try {
    const needsApproval = propertyOf(own(tools as Properties)[toolName], "needsApproval");
    const given = { toolCallId, messages, context: own(toolsContext as Properties)[toolName] };
    if (!(await needsApprovalByTool(needsApproval, input, given))) return { type: "approved" };
    return { type: "user-approval", reason: `the tool \`${wellFormed(toolName)}\` needs an approval by a human` };
  } catch (error) {
    return { type: "denied", reason: `the tool's \`needsApproval\` failed: ${wellFormed(reasonOf(error))}` };
  }
}

type Properties = Readonly<Record<string, unknown>>;

/** Returns true if the tool itself asks for an approval. */
async function needsApprovalByTool(needsApproval: unknown, input: unknown, given: ToolOptions | undefined): Promise<boolean> {
  const wanted: unknown = typeof needsApproval === "function" ? await (needsApproval as Execute)(input, given) : needsApproval;
  // Truthy values count as yes, as in the SDK.
  return Boolean(wanted);
}

/** Returns a tool that calls the gate before each run, even if the SDK does not. */
export function guarded<Tool extends GuardedTool>(judgeCall: Gate["judgeCall"], toolName: string, tool: Tool): Tool {
  const judged = async (input: unknown, given: ToolOptions | undefined) => {
    try {
      const { toolCallId, context, experimental_context } = own(given);
      const id = String(toolCallId);
      const { action, reason } = await judgeCall({ toolName, toolCallId: id, input }, context ?? experimental_context);
      return { id, action, reason };
    } catch (error) {
      return { id: "", action: "deny", reason: `the call cannot be read: ${wellFormed(reasonOf(error))}` } as const;
    }
  };
  const [execute, needsApproval] = [propertyOf(tool, "execute"), propertyOf(tool, "needsApproval")];
  const behind: GuardedTool = {
    ...tool,
    needsApproval: async (input: unknown, given?: ToolOptions) => {
      const { action } = await judged(input, given);
      // A tool without `execute` runs elsewhere, so only an approval can stop it.
      if (action === "ask" || (action === "deny" && typeof execute !== "function")) return true;
      return needsApprovalByTool(needsApproval, input, given);
    },
  };
  if (typeof execute === "function") {
    behind.execute = async (input: unknown, given?: ToolOptions) => {
      const { id, action, reason } = await judged(input, given);
      if (action === "deny") throw refusalOf(id, reason);
      if (action === "ask" && !isApproved(toolName, input, given)) {
        throw refusalOf(id, `a human must approve this call first: ${reason}`);
      }
      return lastOf(await (execute as Execute).call(tool, input, given));
    };
  }
  return behind as Tool;
}

/**
 * Returns true if a human approved this call in the conversation. The model chooses the ids of calls, so the approved call must have the same
 * tool and input, and no result yet.
 */
function isApproved(toolName: string, input: unknown, given: ToolOptions | undefined): boolean {
  try {
    const { toolCallId: id, messages: all } = own(given);
    if (typeof id !== "string" || !Array.isArray(all)) return false;
    const messages = [...itemsOf(all, "messages")];
    const assistant = messages.flatMap((message) => partsOf(message, "assistant"));
    const results = messages.flatMap((message) => partsOf(message, "tool"));
    const calls = assistant.filter(({ type, toolCallId }) => type === "tool-call" && toolCallId === id);
    if (calls.length !== 1 || calls[0]?.["toolName"] !== toolName || !isSame(calls[0]["input"], input)) return false;
    if (results.some(({ type, toolCallId }) => type === "tool-result" && toolCallId === id)) return false;
    const requests = assistant.filter(({ type, toolCallId }) => type === "tool-approval-request" && toolCallId === id);
    const responses = results.filter(({ type }) => type === "tool-approval-response");
    return requests.some(({ approvalId }) => {
      const last = responses.filter((answer) => answer["approvalId"] === approvalId).at(-1);
      return approvalId !== undefined && last?.["approved"] === true;
    });
  } catch {
    return false;
  }
}

function partsOf(message: unknown, speaker: "assistant" | "tool"): Properties[] {
  const { role, content } = own(message as { role?: unknown; content?: unknown });
  const parts = role === speaker && Array.isArray(content) ? [...itemsOf(content, "parts")] : [];
  return parts.map((part) => own(part as Properties) as Properties);
}

function isSame(left: unknown, right: unknown): boolean {
  const text = (input: unknown) => new TextDecoder().decode(jsonOf({ input }));
  return text(left) === text(right);
}

/** Returns the last part of a streamed result. */
async function lastOf(result: unknown): Promise<unknown> {
  const pieces = result as AsyncIterable<unknown> | null | undefined;
  if (typeof pieces !== "object" || typeof pieces?.[Symbol.asyncIterator] !== "function") return result;
  let last: unknown;
  for await (const piece of pieces) last = piece;
  return last;
}
