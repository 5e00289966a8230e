//! The help of commands that run an operation on documents.

use super::{BUNDLE, Text};

pub(super) const TEXTS: &[Text] = &[
    Text {
        notes: "\
`verify` calls the module again and compares: `same_bytes`, `other_digests` (the answer is the same,
but a part was changed later), `another_answer` with the first difference, or `cannot_be_decided_here`.",
        statuses: "  0   `make` wrote the verdict; `verify` found the same bytes, and no signature failed
  1   `verify` found anything else
  2   the input, the policy or the verdict is invalid, or cannot be read
  3   a module failed or was rejected
  64  wrong usage
  74  the answer could not be written
  141 the reader of the answer closed it",
        ..Text::new(
            "verdict",
            &[
                "adjudicate verdict make envelope.json --policy policy.yaml > verdict.json",
                "adjudicate verdict make envelope.json --redact /evidence/transcript_summary --key release.key",
                "adjudicate verdict verify verdict.json --format table",
            ],
        )
    },
    Text::new("init", &["adjudicate init"]),
    Text {
        notes: "\
Save the output as adjudicate.yaml, and complete it. It lists:
  - each validator that a policy requires, or whose id a condition compares with. If a build file of
    this folder shows the command, it is there. Fill in the others: until then, `collect` and `run`
    refuse the file.
  - as comments, the evidence that no validator gives, such as approvals and your `x-` fields. Each
    comment names the places in the policies that read it.",
        statuses: "  0   the answer was printed
  2   a policy is invalid or cannot be read
  64  wrong usage
  74  the answer could not be written
  141 the reader of the answer closed it",
        ..Text::new(
            "needs",
            &[
                "adjudicate needs adjudicate.policy.yaml > adjudicate.yaml",
                "adjudicate needs base.yaml restriction.yaml --format json",
            ],
        )
    },
    Text::new(
        "collect",
        &[
            "adjudicate collect --out envelope.json",
            "adjudicate collect --with ../approvals.json --out envelope.json",
            "adjudicate collect | adjudicate evaluate - --policy adjudicate.policy.yaml --format table",
        ],
    ),
    Text::new("baseline", &["adjudicate baseline", "adjudicate baseline --again --out baseline.json"]),
    Text {
        decisions: "  0 success, 10 partial, 11 blocked, 12 unsafe, 13 needs_human",
        ..Text::new(
            "run",
            &[
                "adjudicate run",
                "adjudicate run --exit-status --base origin/main",
                "adjudicate run --with \"$RUNNER_TEMP/approvals.json\"",
                "adjudicate run --new-run --format markdown >> \"$GITHUB_STEP_SUMMARY\"",
            ],
        )
    },
    Text {
        notes: "\
Sentences are separated by `;`. Their forms:
  NAME[, NAME...] exits 0       a validator of adjudicate.yaml, or one that `init` would find
  run COMMAND [as NAME]         a command that must exit with 0
  NAME exists                   an artifact
  only change GLOB[, GLOB...]   no other file may change
  never change GLOB[, GLOB...]  these files must not change
  ask before GLOB[, GLOB...]    changes of these files need a human
  no test is lost               no test of the base may vanish
  known failures are accepted   failures that the base has, too, do not count
  reviewed                      a review is required
  within N rounds               a human is needed after N failing rounds
  within N minutes              a human is needed after N minutes

The checks of the repository still apply. `run`, `collect`, `hook` and `mcp` judge by the goal until
it is done or cleared.",
        statuses: "  0   the goal is set, or the answer was printed
  1   `done`: the latest decision is not `success`
  2   the goal has no such sentence, or nothing of it can be checked
  64  wrong usage
  74  the goal could not be stored, or the answer could not be written",
        ..Text::new(
            "goal",
            &[
                "adjudicate goal \"cargo-test exits 0; only change src/**, tests/**; within 3 rounds\"",
                "adjudicate goal status",
                "adjudicate goal done",
            ],
        )
    },
    Text::new(
        "hook",
        &[
            "adjudicate hook install claude-code",
            "adjudicate hook test claude-code",
            "adjudicate hook claude-code < event.json",
        ],
    ),
    Text::new(
        "backtest",
        &[
            "adjudicate backtest --policy adjudicate.policy.yaml",
            "adjudicate backtest sessions/ --policy adjudicate.policy.yaml --format html > report.html",
        ],
    ),
    Text {
        notes: "\
The tools are run, evaluate, explain, check_policy, validate_plan and deliberate.
To register the server with Claude Code: claude mcp add adjudicate -- adjudicate mcp",
        statuses: "  0   the input ended, or a signal ended the server
  2   the policy is invalid or cannot be read, or the session does not begin with `initialize`
  64  wrong usage",
        ..Text::new(
            "mcp",
            &[
                "adjudicate mcp",
                "adjudicate mcp --tool run",
                "adjudicate mcp --policy policy.yaml --tool evaluate --tool explain",
            ],
        )
    },
    Text {
        decisions: "  0 success, 10 partial, 11 blocked, 12 unsafe, 13 needs_human",
        ..Text::new(
            "evaluate",
            &[
                "adjudicate evaluate envelope.json --policy policy.yaml --format table",
                "adjudicate evaluate envelope.json --policy policy.yaml --exit-status",
                "adjudicate evaluate envelope.json --slot release",
                "adjudicate evaluate - --ndjson < envelopes.ndjson > decisions.ndjson",
            ],
        )
    },
    Text::new(
        "refine",
        &[
            "adjudicate refine envelope.json --policy policy.yaml",
            "adjudicate refine envelope.json --policy policy.yaml --evaluation decision.json",
        ],
    ),
    Text::new(
        "explain",
        &[
            "adjudicate explain envelope.json --policy policy.yaml --format table",
            "adjudicate explain envelope.json --trace",
            "adjudicate explain --code validation_failed",
        ],
    ),
    Text {
        decisions: BUNDLE,
        ..Text::new(
            "validate-plan",
            &[
                "adjudicate validate-plan plan.json --task task.yaml --capabilities registry.json --format table",
                "adjudicate validate-plan call.json --exit-status",
                "adjudicate validate-plan call.json --format dot | dot -Tsvg > plan.svg",
            ],
        )
    },
    Text {
        decisions: BUNDLE,
        ..Text::new(
            "merge-diagnostics",
            &[
                "echo '[{\"severity\":\"soft\",\"status\":\"unsatisfied\",\"cause\":\"unsatisfied_soft\"}]' |",
                "  adjudicate merge-diagnostics -",
            ],
        )
    },
    Text {
        decisions: BUNDLE,
        ..Text::new(
            "observe-output",
            &["adjudicate observe-output output.json --contract contract.yaml --format table"],
        )
    },
    Text {
        notes: "The exit status follows the most severe action.",
        decisions: "  0 none or `emit`, 10 `retry`, 11 `pause`, `replan` or `fail`, 13 `hitl`",
        ..Text::new(
            "apply-guardrails",
            &["adjudicate apply-guardrails event.json --policies guardrails.yaml --state state.json"],
        )
    },
    Text::new(
        "normalize-plan",
        &[
            "adjudicate normalize-plan subtasks.json --format table",
            "adjudicate normalize-plan plan.json --from autopilot > normalized.json",
            "adjudicate normalize-plan subtasks.json --to plan_graph > graph.json",
        ],
    ),
    Text {
        decisions: "  0 linked, 11 not linked",
        ..Text::new(
            "verify-replay",
            &[
                "adjudicate verify-replay call.json --format table",
                "adjudicate verify-replay events.jsonl --plan normalized.json --receipt receipt.json",
            ],
        )
    },
    Text {
        decisions: "  0 commit or continue, 10 switch, 11 stop, 13 escalate, or stop where a human is required",
        ..Text::new("deliberate", &["adjudicate deliberate ledger.json --format table"])
    },
    Text::new(
        "check-policy",
        &["adjudicate check-policy policy.yaml --format pretty", "adjudicate check-policy - < policy.json"],
    ),
    Text::new(
        "logic",
        &[
            "echo '{\"logic\":{\"+\":[1,2]},\"data\":null}' | adjudicate logic -",
            "adjudicate logic expression.json",
        ],
    ),
    Text::new(
        "schema",
        &[
            "adjudicate schema --of envelope > envelope.schema.json",
            "adjudicate schema instance.json --schema schema.json --format table",
        ],
    ),
];
