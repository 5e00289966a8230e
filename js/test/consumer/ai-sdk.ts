/** The gate with the types of version 7 of the AI SDK and of its policy client. Compiled, never run. */
import { opaCapabilityMiddleware, opaPolicy } from "@ai-sdk/policy-opa";
import {
  ToolLoopAgent,
  generateText,
  isStepCount,
  streamText,
  tool,
  type LanguageModel,
  type StepResult,
  type ToolSet,
} from "ai";
import { z } from "zod";
import { createGate, type Step } from "adjudicate/ai";
import type { Engine } from "adjudicate";

declare const engine: Engine;
declare const model: LanguageModel;

const tools = { write_file: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path }) };

export const steps = (finished: StepResult<typeof tools>[], any: StepResult<ToolSet>[]): Step[] => [...finished, ...any];

export async function run(): Promise<string> {
  const gate = await createGate(engine, { tools: { write_file: {} } });
  const { toolApproval, prepareStep, stopWhen } = gate;
  const settings = { model, tools, toolApproval, prepareStep, stopWhen: [isStepCount(10), stopWhen] };
  const result = await generateText({ ...settings, prompt: "go" });
  await generateText({ model, tools, toolApproval, prepareStep, stopWhen, runtimeContext: { role: "sre" }, prompt: "go" });
  streamText({ model, tools, toolApproval, prepareStep, stopWhen, prompt: "go" });
  new ToolLoopAgent({ model, tools, toolApproval, prepareStep, stopWhen });
  opaPolicy({ client: gate.client, path: "adjudicate/call" });
  opaCapabilityMiddleware({ client: gate.client, path: "adjudicate/tools" });
  const { action } = await gate.judgeSteps(result.steps);
  return action;
}
