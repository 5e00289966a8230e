/** A strict TypeScript user's code with the OpenAI Agents SDK and the gate. Compiled, never run. */
import { Agent, Runner, tool } from "@openai/agents-core";
import type { OutputGuardrail, ToolInputGuardrailDefinition } from "@openai/agents-core";
import { z } from "zod";
import { createGate, type OpenAiGate } from "adjudicate/openai";
import type { Engine } from "adjudicate";

declare const engine: Engine;

const parameters = z.object({ path: z.string() });
const read = tool({ name: "read_file", description: "Reads", parameters, execute: async ({ path }) => `text of ${path}` });

export async function edit(): Promise<string | undefined> {
  const gate: OpenAiGate = await createGate(engine, { tools: { read_file: { changes: () => [] } } });
  const write = tool({
    name: "write_file",
    description: "Writes",
    parameters,
    execute: async ({ path }) => `wrote ${path}`,
    inputGuardrails: [gate.inputGuardrail],
    needsApproval: gate.needsApproval("write_file"),
  });
  const guardrail: OutputGuardrail = gate.outputGuardrail;
  const input: ToolInputGuardrailDefinition = gate.inputGuardrail;
  const agent = new Agent({ name: "editor", tools: [...gate.guard([read]), write], outputGuardrails: [guardrail] });
  const { finalOutput, interruptions } = await new Runner().run(agent, "go");
  return interruptions.length === 0 ? finalOutput : input.name;
}
