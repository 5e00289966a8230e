#!/usr/bin/env bash
# Finds the commit to compare with, and fetches it if the checkout does not have it. Without such a commit, the step fails: compared with
# itself, every change is empty.
#
# Variables: BASE, the input; EVENT_BASE, the commit that the event names.
# Outputs: `base`, the id of a commit; `rules`, the commit whose configuration counts. For a pull request, this is the tip of the target
# branch: the author of the change chooses an older base.
set -euo pipefail
. "$GITHUB_ACTION_PATH/.github/action/report.sh"

# Sets `base` to the id of a commit. Fails if the checkout does not have it.
find_commit() {
    base=$(git rev-parse --quiet --verify --end-of-options "$1^{commit}")
}

fetch() {
    git fetch --quiet --no-tags --no-recurse-submodules "$@" || fail "git cannot fetch the commit to compare with: \
let actions/checkout keep its credentials, or give it \`fetch-depth: 0\`"
}

is_shallow() {
    [[ $(git rev-parse --is-shallow-repository) == true ]]
}

# Sets `base` to the tip of a branch or a tag, or to a commit that the checkout does not have.
fetch_commit() {
    # In a checkout with the whole history, a depth would cut the history of the commit.
    if is_shallow; then fetch --depth=1 -- origin "$1"; else fetch -- origin "$1"; fi
    find_commit FETCH_HEAD
}

find_or_fetch() {
    find_commit "$1" || fetch_commit "$1"
}

# Prints the branch and the tag with a name, as `origin` has them, or as the checkout has them.
refs_of() {
    git ls-remote --quiet origin "refs/heads/$1" "refs/tags/$1" 2>/dev/null | cut -f2 ||
        git for-each-ref --format='%(refname)' "refs/remotes/origin/$1" "refs/tags/$1"
}

# Sets `base` to the commit of the input. For git alone, a tag would stand over a branch of its name.
find_input() {
    local name=${1#origin/} refs
    if [[ $1 =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then
        find_or_fetch "$1"
        return
    fi
    refs=$(refs_of "$name")
    case $refs in
        "") find_or_fetch "$1" ;;
        *$'\n'*) fail "the base \`$1\` names a branch and a tag: write refs/heads/$name or refs/tags/$name" ;;
        refs/remotes/*) find_commit "$refs" ;;
        *) fetch_commit "$refs" ;;
    esac
}

# Sets `base` to the commit that the pull request changes.
find_base_of_pull_request() {
    find_commit HEAD
    local head=$base
    if [[ $GITHUB_REF == refs/pull/*/merge && $head == "$GITHUB_SHA" ]]; then
        # The first parent of the merge that GitHub made is the target branch.
        if ! find_commit HEAD^1; then
            fetch --depth=2 -- origin "$head"
            find_commit HEAD^1
        fi
    else
        # A cut history can have an older merge base, or none.
        if is_shallow; then fetch --unshallow -- origin "$head" "$EVENT_BASE"; fi
        find_or_fetch "$EVENT_BASE"
        rules=$base
        base=$(git merge-base "$head" "$rules") ||
            fail "the pull request has no history in common with its target branch"
    fi
}

rules=
if [[ -n $BASE ]]; then
    find_input "$BASE"
elif [[ $EVENT_BASE == *[!0]* && $GITHUB_EVENT_NAME == pull_request ]]; then
    find_base_of_pull_request
elif [[ $EVENT_BASE == *[!0]* && $GITHUB_EVENT_NAME =~ ^(merge_group|push)$ ]]; then
    find_or_fetch "$EVENT_BASE"
else
    # Also for the push of a new branch, which names only zeros.
    fail "the event \`$GITHUB_EVENT_NAME\` names no commit to compare with: set the input \`base\`"
fi
if [[ $base == $(git rev-parse HEAD) ]]; then
    fail "the base is the commit that is checked out: compared with itself, every change is empty"
fi
rules=${rules:-$base}
echo "The base is $base."
echo "The rules are those of $rules."
output base "$base"
output rules "$rules"
