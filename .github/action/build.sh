#!/usr/bin/env bash
# Builds the command from the checkout of the action, unless the cache has it.
#
# Variables: ROOT, the folder to install it into.
set -euo pipefail
. "$GITHUB_ACTION_PATH/.github/action/report.sh"

if [[ -x $ROOT/bin/adjudicate ]]; then
    exit
fi
type -P cargo || fail "the runner has no \`cargo\`: install Rust, or set the input \`command\`"
# rustup takes the compiler that this folder names.
cd "$GITHUB_ACTION_PATH"
cargo install --locked --no-default-features --features collect --path host/cli --root "$ROOT"
