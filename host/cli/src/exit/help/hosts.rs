//! Verbs of a host, and of what it keeps: serving, decision records.

/// Examples and the statuses of `serve`.
#[cfg(feature = "serve")]
pub(crate) const SERVE_HELP: &str = "\
Examples:
  adjudicate serve
  curl -H 'content-type: application/json' --data @envelope.json localhost:8420/v1/evaluate
  adjudicate serve --listen 0.0.0.0:8420 --tls-cert chain.pem --tls-key key.pem --log -
  adjudicate serve --nats tls://nats.example:4222 --nats-credentials host.creds

When it listens, it prints one line on standard error: {\"listening\": ADDRESS, ...}.
Without another address only this machine can ask, and administration needs a token; other addresses
need a token (`adjudicate token create`) and TLS. From the first token on, every request needs one,
except to /healthz, /readyz and /openapi.json, and on this machine to /metrics.
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
command compares: the report is the same. The command puts modules and policies into the cluster's
object store and deletes them at the end; the servers delete what is left there after a day. Each
host judges modules by its own trust policy. The last line on standard error says who decided.

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
