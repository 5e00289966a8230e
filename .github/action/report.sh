# shellcheck shell=bash
# Functions of the scripts of `action.yml`: annotations and outputs.

# Prints an annotation. A text cannot end it, and cannot begin another command of the runner.
# Arguments: `error` or `notice`, the text.
annotate() {
    local text=$2
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    text=${text//$'\n'/%0A}
    printf '::%s title=adjudicate::%s\n' "$1" "$text"
}

# Ends the step with an error.
fail() {
    annotate error "$1"
    exit 1
}

# Prints a word that no other program can guess.
random_word() {
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# Sets an output of the step. A value of several lines stays one value.
# Arguments: the name, the value.
output() {
    local end
    end=$(random_word)
    printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}
