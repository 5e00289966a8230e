//! The help of commands that run a host, and read what the host stores.

use super::Text;

pub(super) const TEXTS: &[Text] = &[
    #[cfg(feature = "serve")]
    Text {
        notes: "\
When the server listens, it prints one line on standard error: {\"listening\": ADDRESS, ...}.

Access: by default, only programs on this machine can connect. Calls need no token until the store
has one; administration always needs one. Other addresses need TLS and a token
(`adjudicate token create`). Once the store has a token, every request needs one, except /healthz,
/readyz, /openapi.json, and /metrics from this machine.

End: at SIGTERM or SIGINT the server answers the requests that it has, then ends. A second signal
ends it at once.

Cluster: with --nats the server also answers on NAME.v1.OPERATION and NAME.v1.slots.SLOT.OPERATION,
shares the slots of the cluster, and sends its decision records there. Each host keeps its own trust
policy.",
        statuses: "  0   the server ended after a signal
  1   a second signal ended the server at once
  2   the policy, the certificate or the key cannot be used
  3   the store, the cluster or the address cannot be used
  64  wrong usage",
        ..Text::new(
            "serve",
            &[
                "adjudicate serve",
                "curl -H 'content-type: application/json' --data @envelope.json localhost:8420/v1/evaluate",
                "adjudicate serve --listen 0.0.0.0:8420 --tls-cert chain.pem --tls-key key.pem --log -",
                "adjudicate serve --nats tls://nats.example:4222 --nats-credentials host.creds",
            ],
        )
    },
    Text::new(
        "token",
        &[
            "adjudicate token create --role evaluate --name ci",
            "adjudicate token create --role admin --name ops --expires 2027-01-31T12:00:00Z --token-file token",
            "adjudicate token list --format table",
            "adjudicate token revoke ci",
        ],
    ),
    Text {
        statuses: "  0   the chain is whole, or the records were printed
  2   the chain is broken, or cannot be read
  3   the store or the cluster cannot be used
  64  wrong usage
  74  the answer could not be written
  141 the reader of the answer closed it",
        ..Text::new(
            "records",
            &[
                "adjudicate records head --slot release > head.json",
                "adjudicate records verify --slot release --head \"$(cat head.json)\"",
                "adjudicate records export --slot release --since 24h > records.ndjson",
                "adjudicate records export --slot release --nats nats://nats.example:4222 > records.ndjson",
            ],
        )
    },
    Text {
        notes: "\
With --nats, the hosts of a cluster decide (those that run `adjudicate serve --nats`), and this
command compares. The report is the same. The command puts modules and policies into the cluster's
object store and deletes them at the end; the servers delete the rest after a day. Each host checks
modules by its own trust policy. The last line on standard error lists the hosts that decided.

If one side has no answer to a case, the report has its `error`.",
        statuses: "  0   no forbidden change
  1   a change that `--fail-on` names, a changed byte where all bytes must be the same, or fewer
      than `--min-records` cases could be decided again
  2   a line, a record or the policy cannot be read; the report covers all others
  3   a module, the store or the cluster cannot be used, or no host decides
  64  wrong usage
  74  the report could not be written
  141 the reader of the report closed it",
        ..Text::new(
            "replay",
            &[
                "adjudicate replay --slot release --since 24h",
                "adjudicate replay --slot release --installed strict@2.0.0 --fail-on 'success->*' --report replay.html",
                "adjudicate replay calls.ndjson --against policy-1.yaml --policy policy-2.yaml --fail-on changed",
            ],
        )
    },
];
