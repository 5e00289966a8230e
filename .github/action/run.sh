#!/usr/bin/env bash
# Decides on the change, and reports the decision: in the log, as annotations, in the job summary and as outputs. Fails only without a
# decision; `fail.sh` fails by the status.
#
# Variables: COMMAND, BASE and RULES, from the steps before; ANNOTATIONS, CONFIG_FROM, FAIL_ON, SARIF, SUMMARY and WITH, the inputs;
# HEAD_REPOSITORY, the repository of the pull request.
# Outputs: `status`, `next_step`, `evaluation-file`, `sarif-file`; and `failed` and `upload`, which say whether the step is to fail and SARIF is
# to be uploaded.
set -euo pipefail
. "$GITHUB_ACTION_PATH/.github/action/report.sh"

# The most bytes of a job summary that GitHub shows.
max_summary=1048576

for input in ANNOTATIONS SARIF SUMMARY; do
    case ${!input} in
        true | false) ;;
        *) fail "expected \`true\` or \`false\` for the input \`$(tr '[:upper:]' '[:lower:]' <<<"$input")\`, found \`${!input}\`" ;;
    esac
done
case $CONFIG_FROM in
    base) configuration=(--configuration-from "$RULES") ;;
    head) configuration=() ;;
    *) fail "expected \`base\` or \`head\` for the input \`config-from\`, found \`$CONFIG_FROM\`" ;;
esac
external=()
if [[ -n $WITH ]]; then external=(--with "$WITH"); fi
read -r -d '' -a statuses <<<"${FAIL_ON//,/ }" || true
case " ${statuses[*]-} " in
    "  ") fail "the input \`fail-on\` is empty; to let every decision pass, set it to \`none\`" ;;
    " none ") ;;
    *)
        for word in "${statuses[@]}"; do
            case $word in
                partial | blocked | unsafe | needs_human) ;;
                *) fail "unknown status \`$word\` in the input \`fail-on\`; expected partial, blocked, unsafe, needs_human, or only none" ;;
            esac
        done
        ;;
esac
# Validators have variables of their own.
export -n ANNOTATIONS BASE COMMAND CONFIG_FROM FAIL_ON HEAD_REPOSITORY RULES SARIF SUMMARY WITH

folder=$(mktemp -d "$RUNNER_TEMP/adjudicate.XXXXXX")
code=0
# The texts of a decision come from the change, so they must not be commands of the runner.
pause=$(random_word)
echo "::stop-commands::$pause"
# A validator is code of the change. It must not set variables, paths or outputs of later steps.
env -u GITHUB_ENV -u GITHUB_OUTPUT -u GITHUB_PATH -u GITHUB_STATE -u GITHUB_STEP_SUMMARY \
    "$COMMAND" run --new-run --no-progress --base "$BASE" ${configuration[@]+"${configuration[@]}"} ${external[@]+"${external[@]}"} \
    --exit-status --format table --report json="$folder/evaluation.json" --report sarif="$folder/adjudicate.sarif" \
    --report github="$folder/annotations" --report markdown="$folder/summary.md" \
    --report dotenv="$folder/decision.env" 2>"$folder/errors" || code=$?
cat "$folder/errors"
echo "::$pause::"

case $code in
    0) status=success ;;
    10) status=partial ;;
    11) status=blocked ;;
    12) status=unsafe ;;
    13) status=needs_human ;;
    *) fail "no decision: \`adjudicate run\` ended with $code: $(cat "$folder/errors")" ;;
esac
decision=$(cat "$folder/decision.env")
case $decision in
    "status=$status"$'\n'next_step=*) next_step=${decision#*$'\n'next_step=} ;;
    *) fail "no decision: the exit status is that of \`$status\`, and the report is: $decision" ;;
esac

if [[ $ANNOTATIONS == true ]]; then cat "$folder/annotations"; fi
if [[ $SUMMARY == true ]]; then
    size=$(($(wc -c <"$folder/summary.md")))
    if ((size <= max_summary)); then
        cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '## adjudicate: %s\n\nThe summary has %d bytes, and GitHub shows %d. The log has the decision.\n' \
            "${status//_/ }" "$size" "$max_summary" >>"$GITHUB_STEP_SUMMARY"
    fi
fi
upload=$SARIF
if [[ $SARIF == true && -n $HEAD_REPOSITORY && $HEAD_REPOSITORY != "$GITHUB_REPOSITORY" ]]; then
    upload=false
    annotate notice "SARIF is not uploaded: the pull request comes from \`$HEAD_REPOSITORY\`, and GitHub takes none from forks"
fi
case " ${statuses[*]} " in
    *" $status "*) failed=true ;;
    *) failed=false ;;
esac
output status "$status"
output next_step "$next_step"
output evaluation-file "$folder/evaluation.json"
output sarif-file "$folder/adjudicate.sarif"
output upload "$upload"
output failed "$failed"
