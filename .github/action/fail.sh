#!/usr/bin/env bash
# Fails by the status of the decision.
#
# Variables: STATUS and NEXT_STEP, outputs of `run.sh`.
set -euo pipefail
. "$GITHUB_ACTION_PATH/.github/action/report.sh"

fail "the status is $STATUS${NEXT_STEP:+, and the next step is \`$NEXT_STEP\`}"
