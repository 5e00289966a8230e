//! Verbs that ask an operation.

/// The statuses of `evaluate`.
pub(crate) const EVALUATE_HELP: &str = help!(
    "",
    "With --exit-status, instead of 0:
  0 success, 10 partial, 11 blocked, 12 unsafe, 13 needs_human
"
);

/// An example and the statuses of `validate-plan`.
pub(crate) const PLAN_HELP: &str = help!(
    "\
Examples:
  adjudicate validate-plan call.json --exit-status
  adjudicate validate-plan plan.json --task task.yaml --capabilities registry.json --format table
  adjudicate validate-plan call.json --format dot | dot -Tsvg > plan.svg

",
    "With --exit-status, instead of 0:
  0 accepted, 10 accepted_with_findings, 11 rejected
"
);

/// An example and the statuses of `merge-diagnostics`.
pub(crate) const MERGE_HELP: &str = help!(
    "\
Example:
  echo '[{\"severity\":\"soft\",\"status\":\"unsatisfied\",\"cause\":\"unsatisfied_soft\"}]' |
    adjudicate merge-diagnostics -

",
    "With --exit-status, instead of 0:
  0 accepted, 10 accepted_with_findings, 11 rejected
"
);

/// An example and the statuses of `observe-output`.
pub(crate) const OBSERVE_HELP: &str = help!(
    "\
Example:
  adjudicate observe-output output.json --contract contract.yaml --format table

",
    "With --exit-status, instead of 0:
  0 accepted, 10 accepted_with_findings, 11 rejected
"
);

/// An example and the statuses of `apply-guardrails`.
pub(crate) const GUARDRAILS_HELP: &str = help!(
    "\
Example:
  adjudicate apply-guardrails event.json --policies guardrails.yaml --state state.json

",
    "With --exit-status, instead of 0, by the gravest action:
  0 none or `emit`, 10 `retry`, 11 `pause`, `replan` or `fail`, 13 `hitl`
"
);

/// Examples and the statuses of `normalize-plan`.
pub(crate) const NORMALIZE_HELP: &str = help!(
    "\
Examples:
  adjudicate normalize-plan subtasks.json --format table
  adjudicate normalize-plan plan.json --from autopilot > normalized.json
  adjudicate normalize-plan subtasks.json --to plan_graph > graph.json

",
    ""
);

/// Examples and the statuses of `verify-replay`.
pub(crate) const REPLAY_HELP: &str = help!(
    "\
Examples:
  adjudicate verify-replay call.json --format table
  adjudicate verify-replay events.jsonl --plan normalized.json --receipt receipt.json

",
    "With --exit-status, instead of 0:
  0 linked, 11 not linked
"
);

/// An example and the statuses of `deliberate`.
pub(crate) const DELIBERATE_HELP: &str = help!(
    "\
Example:
  adjudicate deliberate ledger.json --format table

",
    "With --exit-status, instead of 0:
  0 commit or continue, 10 switch, 11 stop, 13 escalate, or stop where a human is required
"
);

/// An example and the statuses of `schema`.
pub(crate) const SCHEMA_HELP: &str = help!(
    "\
Example:
  adjudicate schema instance.json --schema schema.json --format table

",
    ""
);
