//! What the help of each verb ends with: examples, and the statuses that it may end with.

/// The end of a verb's help: an example, and the statuses of a verb that answers.
macro_rules! help {
    ($example:literal, $more:literal) => {
        concat!(
            $example,
            "\
Exit status:
  0   answered
  2   the input or the policy is invalid, or cannot be read
  3   a module failed or was refused, or the store or the cluster cannot be used
  64  wrong usage, or a slot, module or version that there is not
  74  the answer could not be written
  141 whoever read the answer went away
",
            $more,
            "Errors are one line on standard error: {\"error\": {\"code\", \"message\", \"path\"}}"
        )
    };
}

/// The statuses of verbs that answer and have nothing more to say.
pub(crate) const HELP: &str = help!("", "");

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

/// Examples and the statuses of `keygen`.
pub(crate) const KEYGEN_HELP: &str = help!(
    "\
The report's `key` is an entry for the `keys` of a trust policy. The files are PEM, as OpenSSL
writes them.

Example:
  adjudicate keygen --out release

",
    ""
);

/// Examples and the statuses of `build`.
pub(crate) const BUILD_HELP: &str = help!(
    "\
The module decides what the engine decides with this policy, and reads no document for it. Its
manifest has the policy's name, version, rules, tests and digest; `inspect` shows them. Tests must
pass. The same policy and engine give the same bytes.

Examples:
  adjudicate build policy.yaml -o policy.wasm
  adjudicate build policy.yaml -o gate.wasm --name release-gate --module-version 2.1.0
  adjudicate evaluate envelope.json --module policy.wasm

",
    ""
);

/// Examples and the statuses of `new`.
pub(crate) const NEW_HELP: &str = help!(
    "\
Examples:
  adjudicate new --lang rust change-freeze
  adjudicate new --lang wat incident-brake

",
    ""
);

/// Examples and the statuses of `pack`.
pub(crate) const PACK_HELP: &str = help!(
    "\
Examples:
  adjudicate pack build/module.wasm --manifest manifest.json --tests tests.json -o gate.wasm
  adjudicate pack policy.wat --manifest manifest.json --try-tests tests.json -o gate.wasm

",
    ""
);

/// Examples and the statuses of `sign`.
pub(crate) const SIGN_HELP: &str = help!(
    "\
Several people sign one after the other. Each signature changes the digest of the module, and none
that of its content, which is what is signed.

Examples:
  adjudicate sign gate.wasm --key release.key -o gate.signed.wasm
  adjudicate sign gate.wasm --key release.key --in-place

",
    ""
);

/// Examples and the statuses of `verify`.
pub(crate) const VERIFY_HELP: &str = help!(
    "\
It is judged as for an installation: windows of keys, least versions, pins. (Only a store knows
which version was in force.) For a module that is not to be trusted the status is 3, and the code
says why. The members of trust policies are in wasm/ABI.md.

Examples:
  adjudicate verify gate.wasm --key release.pub
  adjudicate verify gate.wasm --trust trust.json --at 2026-12-31T23:59:59Z --format table

",
    ""
);

/// Examples and the statuses of `push`.
pub(crate) const PUSH_HELP: &str = help!(
    "\
The module lies there in CNCF's Wasm OCI artifact layout, and always has the same manifest digest.
As with docker, a tag that names something else names the module from then on; `replaced` in the
report is what it named. One module for good is named by REGISTRY/REPOSITORY@ and the report's
`manifest_digest`.

Examples:
  adjudicate push gate.signed.wasm ghcr.io/acme/gate:1.2.0
  adjudicate push gate@1.2.0 registry.example/policies/gate:1.2.0 --installed
  adjudicate push gate.wasm localhost:5000/gate:dev --plain-http

",
    "\
A registry that refuses is told by unauthorized, forbidden or not_found (64); whatever else goes
wrong there, by unwritable_output (74).
"
);

/// Examples and the statuses of `pull`.
pub(crate) const PULL_HELP: &str = help!(
    "\
Nothing is written unless all that was fetched is what its digests say, keeps to CNCF's Wasm OCI
artifact layout, and is a policy module. Only `--install` judges signatures; `verify` judges a file.

Examples:
  adjudicate pull ghcr.io/acme/gate:1.2.0 --install --slot release
  adjudicate pull ghcr.io/acme/gate@sha256:0123... -o gate.wasm
  adjudicate pull registry.example/gate:1 -o gate.wasm --username ci --password-file secret

",
    "\
A registry that refuses is told by unauthorized, forbidden or not_found (64); whatever else goes
wrong there, by unreadable_input (2).
"
);

/// Examples and the statuses of `serve`.
pub(crate) const SERVE_HELP: &str = "\
Examples:
  adjudicate serve
  curl -H 'content-type: application/json' --data @envelope.json localhost:8420/v1/evaluate
  adjudicate serve --listen 0.0.0.0:8420 --tls-cert chain.pem --tls-key key.pem --log -
  adjudicate serve --nats tls://nats.example:4222 --nats-credentials host.creds

When it listens, it prints one line on standard error: {\"listening\": ADDRESS, ...}.
Without another address only this machine can ask, and administration needs a token; other addresses
need a token (`adjudicate token create`) and TLS. From the first token on, every request needs one.
At SIGTERM or SIGINT it answers what it was asked, and ends; at a second one it ends at once.
With --nats it answers on NAME.v1.OPERATION and NAME.v1.slots.SLOT.OPERATION, has the slots that all
hosts of the cluster have, and sends its decision records there. Whom it trusts is its own to say.

Exit status:
  0   it was told to end, and did
  1   it was told twice
  2   the policy, the certificate or the key cannot be used
  3   the store or the cluster cannot be used, or the address cannot be listened on
  64  wrong usage
Errors are one line on standard error: {\"error\": {\"code\", \"message\", \"path\"}}";

/// Examples and the statuses of `token`.
pub(crate) const TOKEN_HELP: &str = help!(
    "\
Examples:
  adjudicate token create --role evaluate --name ci
  adjudicate token create --role admin --name ops --expires 2027-01-31T12:00:00Z --token-file token
  adjudicate token revoke ci

",
    ""
);

/// The statuses of `check`.
pub(crate) const CHECK_HELP: &str = "\
Exit status:
  0   no errors were found
  2   errors were found, or warnings with `--deny warnings`, or a file cannot be read
  64  wrong usage
  74  the report could not be written
  141 whoever read the report went away";

/// The statuses of `conformance`.
pub(crate) const CONFORMANCE_HELP: &str = "\
Exit status:
  0   the module meets all that it must, or the corpus was written
  2   the module cannot be read
  3   the module breaks what it must keep
  64  wrong usage
  74  the report, or a file of the corpus, could not be written
  141 whoever read the report went away";

/// The statuses of `test`.
pub(crate) const TEST_HELP: &str = "\
Exit status:
  0   all tests passed
  1   a test failed, none ran, or the coverage is below what is asked for
  2   a policy or a file of cases is invalid, or cannot be read
  64  wrong usage
  74  the report could not be written
  141 whoever read the report went away
Of an object in `expect` the answer must have the members that are there; a list must have exactly
those items. Where there is no answer, `{\"error\": ...}` is compared. A rule is covered when it fired
in some test and stayed quiet in another.";

/// Examples and the statuses of `records`.
pub(crate) const RECORDS_HELP: &str = "\
Examples:
  adjudicate records head --slot release > head.json
  adjudicate records verify --slot release --head \"$(cat head.json)\"
  adjudicate records export --slot release --since 24h > records.ndjson
  adjudicate records export --slot release --nats nats://nats.example:4222 > records.ndjson

Exit status:
  0   the chain is whole, or the records were printed
  2   the chain is broken, or cannot be read
  3   the store or the cluster cannot be used
  64  wrong usage
  74  the answer could not be written
  141 whoever read the answer went away";

/// Examples and the statuses of `replay`.
pub(crate) const REEVALUATION_HELP: &str = "\
Examples:
  adjudicate replay --slot release --since 24h
  adjudicate replay --slot release --installed strict@2.0.0 --fail-on 'success->*' --report replay.html
  adjudicate replay calls.ndjson --against policy-1.yaml --policy policy-2.yaml --fail-on changed
  adjudicate replay --slot release --installed strict@2.0.0 --nats nats://nats.example:4222

With --nats the hosts of a cluster decide, those that run `adjudicate serve --nats`, and this
command compares: the report is the same. Modules and policies are put into the cluster's object
store, by their digest, and stay there; each host judges modules by its own trust policy. The last
line on standard error says who decided.

Exit status:
  0   nothing changed that must not
  1   something changed that `--fail-on` names, a byte did where none may, or fewer than
      `--min-records` could be decided again
  2   a line, a record or the policy cannot be read; the report is of all others
  3   a module, the store or the cluster cannot be used, or no host decides
  64  wrong usage
  74  the report could not be written
  141 whoever read the report went away
What one side has no answer to is in the report, as `error`.";
