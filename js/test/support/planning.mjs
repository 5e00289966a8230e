/** Calls about planning that have answers. */

/** The subtasks of a planner; the last one targets a command instead of a file. */
export const SUBTASKS = [
  { id: "look", action: "read", target: "src/parse.rs", instruction: "find where the last line is lost" },
  { id: "mend", action: "edit", target: "src/parse.rs", instruction: "keep the last line" },
  { id: "check", action: "bash", target: "cargo test", instruction: "run the tests" },
];

/** A plan in its canonical form. */
export const PLAN_IR = {
  analysis: "the parser drops the last line",
  steps: [
    {
      id: "look",
      description: "find where the last line is lost",
      intent: "investigate",
      target_files: ["src/parse.rs"],
      depends_on: [],
      max_iterations: 1,
    },
    {
      id: "mend",
      description: "keep the last line",
      intent: "modify",
      target_files: ["src/parse.rs"],
      depends_on: ["look"],
      max_iterations: 3,
    },
  ],
  verification_strategy: { commands: ["cargo test"], success_criteria: "all pass", max_retries: 1 },
  complexity: "low",
  confidence: 0.7,
};

/** The events of a run of it, except the second completion, which took too many turns. */
export const EVENTS = [
  { event: "PlanStart", step_count: 2 },
  { event: "ToolCall", id: "1", step_id: "look" },
  { event: "ToolResult", id: "1" },
  { event: "StepComplete", step_id: "look", iterations: 1 },
  { event: "ToolCall", id: "2", step_id: "mend" },
  { event: "ToolResult", id: "2" },
  { event: "StepComplete", step_id: "mend", iterations: 4 },
];

/** Three turns that need too much of the time. */
export const LEDGER = {
  goal: "find where the last line is lost",
  constraints: ["read only"],
  initial_evidence: ["the report of a user"],
  budgets: { max_iterations: 5, max_subagent_calls: 8, max_wall_time_ms: 300000 },
  turns: [
    { n: 1, consumed: { subagent_calls: 1, wall_time_ms: 100000 }, files: ["src/parse.rs"], confidence: 0.2, uncertainty: 0.9 },
    {
      n: 2,
      consumed: { subagent_calls: 2, wall_time_ms: 100000 },
      files: ["src/lines.rs"],
      confidence: 0.4,
      uncertainty: 0.6,
      exploration_plan: ["read the callers"],
      budget_allocation: { max_iterations: 5 },
    },
    {
      n: 3,
      consumed: { subagent_calls: 1, wall_time_ms: 120000 },
      files: ["src/main.rs"],
      confidence: 0.6,
      uncertainty: 0.3,
      novelty_check: { new_information: true },
    },
  ],
};

/** A call of each operation. */
export const PLANNING_CALLS = {
  normalize_plan: { plan: { subtasks: SUBTASKS } },
  verify_replay: { plan: PLAN_IR, events: EVENTS, tests: { failing_before: 3, failing_after: 1 } },
  deliberate: LEDGER,
};
