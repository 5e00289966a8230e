/**
 * A small host of AGENT-HOOKS with one interceptor, a scripted model and scripted tools. It has no approval seam, so a denial that a human may
 * lift stands.
 */

const json = (value) => JSON.parse(JSON.stringify(value));
const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Runs a scenario. Returns the contexts, the verdicts, the calls of tools and the outcome. */
export async function host({ intercept }, { input, tools = [], model_script = [] }, { mode = "enforce", session = "s-1", parts = ["model", "tools"] } = {}) {
  const seen = [];
  const invoked = [];
  let sequence = 0;
  const emit = async (interception_point, target, fields) => {
    const common = { spec: "agent-hooks/0.1", interception_point, timestamp: "2026-01-01T00:00:00Z", sequence: sequence++ };
    const context = { ...common, agent: { id: "a", framework: "test" }, session: { id: session }, ...json(fields), target: json(target) };
    const verdict = await intercept(json(context));
    seen.push({ context, verdict });
    return mode === "enforce" && verdict.decision === "deny" ? verdict : undefined;
  };
  const end = async (run_outcome, final_output = null) => {
    await emit("agent_shutdown", { reason: run_outcome === "completed" ? "completed" : "error" }, { summary: { reason: run_outcome === "completed" ? "completed" : "error" } });
    return { seen, invoked, run_outcome, final_output };
  };
  const init = { tools_registered: tools.map(({ name }) => name) };
  if (await emit("agent_startup", init, { agent_init: init })) return end("blocked");
  if (await emit("input", input, { input })) return end("blocked");
  const messages = [{ role: input.role, content: input.content }];
  for (const { respond } of model_script) {
    const model = { id: "m" };
    if (parts.includes("model") && (await emit("pre_model_call", messages, { model, messages }))) return end("blocked");
    const { content, tool_calls, finish_reason } = respond;
    const response = { content, tool_calls, finish_reason };
    if (parts.includes("model") && (await emit("post_model_call", response, { model, response }))) return end("blocked");
    for (const tool_call of tool_calls) {
      const denial = await emit("pre_tool_call", tool_call.args, { tool_call });
      if (denial) {
        messages.push({ role: "tool", content: `${denial.reason} ${denial.message}` });
        continue;
      }
      invoked.push({ name: tool_call.name, args: tool_call.args });
      const { behavior = [] } = tools.find(({ name }) => name === tool_call.name) ?? {};
      const clause = behavior.find(({ when_args }) => when_args === undefined || same(when_args, tool_call.args));
      const tool_result = { value: clause?.return ?? null, is_error: clause?.is_error ?? false };
      const refused = await emit("post_tool_call", tool_result.value, { tool_call, tool_result });
      messages.push({ role: "tool", content: refused ? `${refused.reason} ${refused.message}` : JSON.stringify(tool_result.value) });
    }
    if (tool_calls.length > 0) continue;
    const output = { content: content ?? "" };
    if (await emit("output", output, { output })) return end("blocked");
    return end("completed", output.content);
  }
  return end("error");
}
