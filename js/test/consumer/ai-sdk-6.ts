/** The gate with the types of version 6 of the AI SDK. Compiled, never run. */
import { generateText, stepCountIs, tool, type LanguageModel } from "ai-6";
import { z } from "zod";
import { createGate } from "adjudicate/ai";
import type { Engine } from "adjudicate";

declare const engine: Engine;
declare const model: LanguageModel;

const tools = { write_file: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path }) };

export async function run(): Promise<string> {
  const { guard, prepareStep, stopWhen, judgeSteps } = await createGate(engine, { tools: { write_file: {} } });
  const result = await generateText({ model, tools: guard(tools), prepareStep, stopWhen: [stepCountIs(10), stopWhen], prompt: "go" });
  const path: string | undefined = result.staticToolResults[0]?.output;
  return `${path} ${(await judgeSteps(result.steps)).action}`;
}
