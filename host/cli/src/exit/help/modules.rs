//! Verbs that make, sign and move policy modules.

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
#[cfg(feature = "oci")]
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
#[cfg(feature = "oci")]
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
