/** An agent of the AI SDK whose model calls one tool, and then ends. */
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** Returns the names in examples about agents. */
export function agent() {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const turns = [
    [{ type: "tool-call", toolCallId: "1", toolName: "read_file", input: '{"path":"a.txt"}' }],
    [{ type: "text", text: "a.txt is empty" }],
  ];
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const content = turns.shift() ?? [{ type: "text", text: "done" }];
      const unified = content[0].type === "tool-call" ? "tool-calls" : "stop";
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
  const inputSchema = jsonSchema({ type: "object" });
  const tools = {
    read_file: tool({ inputSchema, execute: async () => "" }),
    write_file: tool({ inputSchema, execute: async ({ path }) => `wrote ${path}` }),
  };
  const result = { steps: [{ finishReason: "stop", content: [] }] };
  return { generateText, isStepCount, model, tools, prompt: "read a.txt", messages: [{ role: "user", content: "read a.txt" }], result };
}
