//! The help of commands that sign modules, move them, and put them into slots.

use super::Text;

pub(super) const TEXTS: &[Text] = &[
    Text {
        notes: "\
`key` in the report is an entry for `keys` of a trust policy. The files are PEM, in the form of
OpenSSL.",
        ..Text::new("keygen", &["adjudicate keygen --out release"])
    },
    Text {
        notes: "\
Several signers sign one after the other. A signature changes the digest of the module. It does not
change the digest of the content, which is signed.",
        ..Text::new(
            "sign",
            &[
                "adjudicate sign gate.wasm --key release.key -o gate.signed.wasm",
                "adjudicate sign gate.wasm --key release.key --in-place",
            ],
        )
    },
    Text {
        notes: "\
The rules are those of an installation: periods of keys, least versions, pins. Only a store detects a
downgrade, because it knows which version was active. A module without trust ends with status 3, and
the error code gives the reason. docs/reference/trust.md lists the fields of a trust policy.",
        ..Text::new(
            "verify",
            &[
                "adjudicate verify gate.wasm --key release.pub",
                "adjudicate verify gate.wasm --trust trust.json --at 2026-12-31T23:59:59Z --format table",
            ],
        )
    },
    Text::new(
        "trust",
        &[
            "adjudicate trust --set trust.yaml",
            "adjudicate trust --slot release --set trust.yaml",
            "adjudicate trust --slot release --format pretty",
        ],
    ),
    #[cfg(feature = "oci")]
    Text {
        notes: "\
The registry stores the module in CNCF's Wasm OCI artifact layout. A module always has the same
manifest digest. As with docker, an existing tag moves to the new module; `replaced` in the report is
the digest that the tag had. To name one module for good, use REGISTRY/REPOSITORY@ and the report's
`manifest_digest`.

If the registry rejects the request, the code is unauthorized, forbidden or not_found (64). Any other
failure of the registry is unwritable_output (74).",
        ..Text::new(
            "push",
            &[
                "adjudicate push gate.signed.wasm ghcr.io/acme/gate:1.2.0",
                "adjudicate push gate@1.2.0 registry.example/policies/gate:1.2.0 --installed",
                "adjudicate push gate.wasm localhost:5000/gate:dev --plain-http",
            ],
        )
    },
    #[cfg(feature = "oci")]
    Text {
        notes: "\
The command writes the module only if every part has its digest, keeps to CNCF's Wasm OCI artifact
layout, and is a policy module. Only `--install` checks signatures. To check those of a file, use
`adjudicate verify`.

If the registry rejects the request, the code is unauthorized, forbidden or not_found (64). Any other
failure of the registry is unreadable_input (2).",
        ..Text::new(
            "pull",
            &[
                "adjudicate pull ghcr.io/acme/gate:1.2.0 --install --slot release",
                "adjudicate pull ghcr.io/acme/gate@sha256:0123... -o gate.wasm",
                "adjudicate pull registry.example/gate:1 -o gate.wasm --username ci --password-file secret",
            ],
        )
    },
    Text::new(
        "install",
        &[
            "adjudicate install gate.signed.wasm --slot release",
            "adjudicate install gate.wasm --allow-unsigned",
        ],
    ),
    Text::new("uninstall", &["adjudicate uninstall gate@1.2.0"]),
    Text::new("list", &["adjudicate list --format table"]),
    Text::new("gc", &["adjudicate gc --dry-run", "adjudicate gc --keep 90d"]),
    Text::new(
        "slot",
        &[
            "adjudicate slot release --create",
            "adjudicate slot release --settings settings.yaml --note 'shorter deadline'",
            "adjudicate slot release --format table",
        ],
    ),
    Text::new(
        "activate",
        &[
            "adjudicate activate release gate@1.2.0 --create",
            "adjudicate activate release gate@1.2.0 --restrict change-freeze --note 'release week'",
        ],
    ),
    Text::new(
        "shadow",
        &[
            "adjudicate shadow release gate@1.3.0",
            "adjudicate shadow release --differences 5",
            "adjudicate shadow release --off",
        ],
    ),
    Text::new(
        "canary",
        &["adjudicate canary release gate@1.3.0 --permille 50", "adjudicate canary release --off"],
    ),
    Text::new("rollback", &["adjudicate rollback release", "adjudicate rollback release --to 7"]),
    Text::new("history", &["adjudicate history release --format table"]),
    Text::new(
        "completions",
        &["adjudicate completions bash > ~/.local/share/bash-completion/completions/adjudicate"],
    ),
];
