/** Tools behind a gate, for SDKs that ask a tool itself whether it needs an approval. */
import type { Gate, GuardedTool } from "./gate.js";
import { refusalOf } from "./refusal.js";

/** What an SDK hands a tool beside its input. */
interface Given {
  readonly toolCallId?: unknown;
  readonly messages?: unknown;
  readonly context?: unknown;
  readonly experimental_context?: unknown;
}

type Execute = (input: unknown, given?: Given) => unknown;

/** A tool whose calls the gate judges, whatever the SDK does. */
export function guarded<Tool extends GuardedTool>(judgeCall: Gate["judgeCall"], toolName: string, tool: Tool): Tool {
  const judged = (input: unknown, given: Given | undefined) =>
    judgeCall({ toolName, toolCallId: String(given?.toolCallId), input }, given?.context ?? given?.experimental_context);
  const { execute, needsApproval } = tool;
  const behind: GuardedTool = {
    ...tool,
    needsApproval: async (input: unknown, given?: Given) => {
      const { action } = await judged(input, given);
      // A tool that somebody else runs can be kept from it by a person alone.
      if (action === "ask" || (action === "deny" && typeof execute !== "function")) return true;
      return typeof needsApproval === "function" ? (needsApproval as Execute)(input, given) : needsApproval === true;
    },
  };
  if (typeof execute === "function") {
    behind.execute = async (input: unknown, given?: Given) => {
      const { action, reason } = await judged(input, given);
      const id = String(given?.toolCallId);
      if (action === "deny") throw refusalOf(id, reason);
      if (action === "ask" && !isApproved(given)) throw refusalOf(id, `a person has to approve this first: ${reason}`);
      return lastOf(await (execute as Execute).call(tool, input, given));
    };
  }
  return behind as Tool;
}

/** Whether a person has said yes to a call: the conversation has it, for the SDK goes on from there. */
function isApproved(given: Given | undefined): boolean {
  const parts = Array.isArray(given?.messages) ? given.messages.flatMap(partsOf) : [];
  const asked = parts.filter(({ type, toolCallId }) => type === "tool-approval-request" && toolCallId === given?.toolCallId);
  const answers = parts.filter(({ type }) => type === "tool-approval-response");
  return asked.some(({ approvalId }) => {
    const last = answers.filter((answer) => answer["approvalId"] === approvalId).at(-1);
    return approvalId !== undefined && last?.["approved"] === true;
  });
}

function partsOf(message: unknown): Record<string, unknown>[] {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content.filter((part) => typeof part === "object" && part !== null) : [];
}

/** The last piece of a result that comes in pieces. */
async function lastOf(result: unknown): Promise<unknown> {
  const pieces = result as AsyncIterable<unknown> | null | undefined;
  if (typeof pieces !== "object" || typeof pieces?.[Symbol.asyncIterator] !== "function") return result;
  let last: unknown;
  for await (const piece of pieces) last = piece;
  return last;
}
