/** A strict TypeScript user's code with LangChain and the gate. Compiled, never run. */
import { createAgent, tool } from "langchain";
import { MemorySaver } from "@langchain/langgraph";
import { z } from "zod";
import { createGate, type LangChainGate, type MiddlewareOptions, type ReviewRequest } from "adjudicate/langchain";
import type { Engine } from "adjudicate";

declare const engine: Engine;

const options: MiddlewareOptions = { feedbacks: 1, contextSchema: z.object({ role: z.string() }) };
const read = tool(({ path }) => `text of ${path}`, { name: "read_file", description: "Reads", schema: z.object({ path: z.string() }) });

export async function edit(): Promise<string> {
  const gate: LangChainGate = await createGate(engine, { tools: { read_file: { changes: () => [] } } });
  const agent = createAgent({ model: "a:b", tools: [read], middleware: [gate.middleware(options)], checkpointer: new MemorySaver() });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { configurable: { thread_id: "1" } });
  return String(messages.at(-1)?.content);
}

export function shown(request: ReviewRequest): string {
  return request.actionRequests[0].description;
}

// @ts-expect-error: an unknown option
export const unknown: MiddlewareOptions = { feedback: 1 };
