#!/usr/bin/env bash
# Finds the command: the input `command`, `adjudicate` on the PATH, or the one that `build.sh` builds from this checkout.
#
# Variables: COMMAND, the input.
# Outputs: `command`, its path; and if it is to be built, `build`, `root` (the folder to install it into) and `key` (of the cache).
set -euo pipefail
. "$GITHUB_ACTION_PATH/.github/action/report.sh"

# The files that the command is built from.
sources() {
    find .cargo Cargo.lock Cargo.toml core host rust-toolchain.toml wasm/guest \
        \( -name node_modules -o -name target \) -prune -o -type f -print | LC_ALL=C sort
}

if command=$(type -P -- "${COMMAND:-adjudicate}"); then
    case $command in
        /* | ?:*) ;;
        *) command=$PWD/$command ;;
    esac
    "$command" --version || fail "\`$command --version\` fails"
elif [[ -n $COMMAND ]]; then
    fail "the input \`command\` is no program: \`$COMMAND\`"
else
    cd "$GITHUB_ACTION_PATH"
    digest=$({ sources && sources | git hash-object --no-filters --stdin-paths; } | git hash-object --stdin)
    root=$RUNNER_TOOL_CACHE/adjudicate/$digest
    command=$root/bin/adjudicate
    output build true
    output root "$root"
    output key "adjudicate-$RUNNER_OS-$RUNNER_ARCH-$digest"
fi
output command "$command"
