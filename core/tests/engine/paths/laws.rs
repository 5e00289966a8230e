//! Laws over random policies and diffs, and a model of the verdicts, written from docs/reference/text-formats.md alone. The model
//! expands a directory to the files that it may hold, and compares each with the pattern.

use adjudicate_core::{
    Steps,
    paths::{Glob, Path, PathVerdict, Pattern},
};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{envelope, evaluate, file, findings, policy, status, summarized};

const LISTS: [&str; 2] = ["forbidden_paths", "protected_paths"];
const CHANGES: [&str; 4] = ["added", "modified", "deleted", "renamed"];

/// An entry of a typed diff.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    from: String,
    is_directory: bool,
    change: &'static str,
}

fn entries() -> impl Strategy<Value = Entry> {
    (select(paths()), select(paths()), any::<bool>(), select(CHANGES.to_vec()))
        .prop_map(|(path, from, is_directory, change)| Entry { path, from, is_directory, change })
}

impl Entry {
    fn to_json(&self) -> Value {
        let mut entry = file(&self.path, self.change);
        if self.is_directory {
            entry["kind"] = json!("directory");
        }
        if self.change == "renamed" {
            entry["from"] = json!(self.from);
        }
        entry
    }

    fn names(&self) -> Vec<&str> {
        if self.change == "renamed" { vec![&self.path, &self.from] } else { vec![&self.path] }
    }
}

/// The verdict of a list on a diff: true if some path is violated, and true if some is unknown.
fn of_list(list: &[String], diff: &[Entry]) -> (bool, bool) {
    let mut found = (false, false);
    for entry in diff {
        let is_removed = matches!(entry.change, "deleted" | "renamed");
        for name in entry.names() {
            let of_pattern = |pattern: &String| verdict(pattern, name, entry.is_directory, is_removed);
            match list.iter().map(of_pattern).max() {
                Some(PathVerdict::Matched) => found.0 = true,
                Some(PathVerdict::Unknown) => found.1 = true,
                _ => {}
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_decision_follows_from_the_verdicts(
        forbidden in prop::collection::vec(select(patterns()), 0..3),
        protected in prop::collection::vec(select(patterns()), 0..3),
        diff in prop::collection::vec(entries(), 0..3),
    ) {
        let files: Vec<Value> = diff.iter().map(Entry::to_json).collect();
        let answer = evaluate(
            &envelope(&files),
            &policy(&json!({"forbidden_paths": forbidden, "protected_paths": protected})),
        );
        let (of_forbidden, of_protected) = (of_list(&forbidden, &diff), of_list(&protected, &diff));
        let found = |rule: &str| findings(&answer).iter().any(|(found, _)| *found == rule);
        prop_assert_eq!(found("policy_violation"), of_forbidden.0, "{}", answer);
        prop_assert_eq!(found("approval"), of_protected.0, "{}", answer);
        prop_assert_eq!(found("unknown_evidence"), of_forbidden.1 || of_protected.1, "{}", answer);
        let is_clean = of_forbidden == (false, false) && of_protected == (false, false);
        prop_assert_eq!(status(&answer) == "success", is_clean);
    }

    #[test]
    fn an_untracked_directory_that_could_hold_such_a_path_never_leaves_success(
        list in select(LISTS.to_vec()),
        pattern in select(patterns()),
        path in select(paths()),
        others in select(vec!["", " M src/lib.rs\n", "R  x -> y\n"]),
        grants in select(vec![json!([]), json!(["protected_path"])]),
    ) {
        let policy = policy(&json!({list: [pattern]}));
        let before = evaluate(&summarized(others), &policy);
        prop_assume!(status(&before) == "success");
        let directory = if path.is_empty() { "./".to_owned() } else { format!("{path}/") };
        let mut envelope = summarized(&format!("{others}?? {directory}\n"));
        envelope["evidence"]["approvals"] = json!({"required": [], "granted": grants});
        let after = evaluate(&envelope, &policy);
        match verdict(&pattern, &path, true, false) {
            PathVerdict::Clean => prop_assert_eq!(status(&after), "success"),
            PathVerdict::Unknown => prop_assert_ne!(status(&after), "success"),
            // All of it is protected, and a grant covers it.
            PathVerdict::Matched => {
                let is_granted = list == "protected_paths" && grants != json!([]);
                prop_assert_eq!(status(&after) == "success", is_granted);
            }
        }
    }
}

/// Names that distinguish the patterns of this test: only a pattern for any name matches them all.
const NAMES: [&str; 3] = ["a", "b", "aa"];
/// Parts of patterns; each matches one of the names at least.
const PARTS: [&str; 9] = ["a", "b", "*", "**", "?", "?*", "a*", "*b", "??"];

/// Files at most so many levels below a directory: a pattern of three parts that ends in `/` matches what is in the third.
const DEPTH: usize = 4;

/// The verdict of a pattern on a changed path.
pub(crate) fn verdict(pattern: &str, path: &str, is_directory: bool, is_removed: bool) -> PathVerdict {
    let path: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    expand(pattern).iter().map(|pattern| of_one(pattern, &path, is_directory, is_removed)).max().unwrap()
}

fn of_one(pattern: &str, path: &[&str], is_directory: bool, is_removed: bool) -> PathVerdict {
    let is_directory = is_directory || path.is_empty();
    let (all, any) = if is_directory {
        let below = below(path, DEPTH);
        let matched = below.iter().filter(|file| matches(pattern, file)).count();
        (matched == below.len(), matched > 0)
    } else {
        (matches(pattern, path), false)
    };
    let removes = is_removed && (path.is_empty() || has_prefix(pattern, path, true));
    let stands_above = !is_directory && !is_removed && has_prefix(pattern, path, false);
    match () {
        () if all || removes => PathVerdict::Matched,
        () if any || stands_above => PathVerdict::Unknown,
        () => PathVerdict::Clean,
    }
}

/// Returns whether the path's segments are the first of the pattern's leading literal segments, and the pattern has more.
fn has_prefix(pattern: &str, path: &[&str], slash_is_more: bool) -> bool {
    if !pattern.trim_end_matches('/').contains('/') {
        return false;
    }
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let literals: Vec<&str> = parts.iter().copied().take_while(|part| !part.contains(['*', '?'])).collect();
    let has_more = parts.len() > path.len() || slash_is_more && pattern.ends_with('/');
    literals.starts_with(path) && has_more
}

/// The files below a directory, so many levels deep.
fn below(directory: &[&str], depth: usize) -> Vec<Vec<&'static str>> {
    let known = |name: &&str| NAMES.into_iter().find(|known| known == name).unwrap();
    let mut level = vec![directory.iter().map(known).collect::<Vec<_>>()];
    let mut files = Vec::new();
    for _ in 0..depth {
        let deeper = |folder: &Vec<&'static str>| {
            let folder = folder.clone();
            NAMES.map(move |name| folder.iter().copied().chain([name]).collect())
        };
        level = level.iter().flat_map(deeper).collect();
        files.extend(level.iter().cloned());
    }
    files
}

/// Returns whether a pattern without braces matches a file.
fn matches(pattern: &str, file: &[&str]) -> bool {
    let is_for_contents = pattern.ends_with('/');
    // A pattern that matches a directory matches everything in it; a pattern that ends in `/` matches directories only.
    let longest = if is_for_contents { file.len().saturating_sub(1) } else { file.len() };
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    (1..=longest).any(|end| {
        if is_anchored {
            whole(&parts, &file[..end])
        } else {
            segment(parts[0].as_bytes(), file[end - 1].as_bytes())
        }
    })
}

/// Returns whether parts match a whole path.
fn whole(parts: &[&str], path: &[&str]) -> bool {
    match (parts, path) {
        ([], []) => true,
        // At the end it stands for something that is in there.
        (["**"], path) => !path.is_empty(),
        (["**", rest @ ..], path) => (0..=path.len()).any(|skipped| whole(rest, &path[skipped..])),
        ([part, rest @ ..], [name, path @ ..]) => {
            segment(part.as_bytes(), name.as_bytes()) && whole(rest, path)
        }
        _ => false,
    }
}

fn segment(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], name) => (0..=name.len()).any(|skipped| segment(rest, &name[skipped..])),
        ([b'?', rest @ ..], [_, name @ ..]) => segment(rest, name),
        ([literal, rest @ ..], [found, name @ ..]) => literal == found && segment(rest, name),
        _ => false,
    }
}

/// The patterns that one pair of braces stands for.
fn expand(pattern: &str) -> Vec<String> {
    match pattern.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (choices, after))) => {
            choices.split(',').map(|choice| format!("{before}{choice}{after}")).collect()
        }
        None => vec![pattern.into()],
    }
}

fn engine(pattern: &str, path: &str, is_directory: bool, is_removed: bool) -> PathVerdict {
    let mut steps = Steps::default();
    let glob = Glob::compile(Pattern::new(pattern).unwrap(), &mut steps).unwrap();
    let path = if is_directory { Path::directory(path) } else { Path::split(path) };
    glob.verdict(&path, is_removed, &mut steps).unwrap()
}

/// The root, and all paths of one and two names.
pub(crate) fn paths() -> Vec<String> {
    let pairs = NAMES.iter().flat_map(|first| NAMES.map(|second| format!("{first}/{second}")));
    [String::new()].into_iter().chain(NAMES.map(String::from)).chain(pairs).collect()
}

/// All patterns of one and two parts, those of three of a few, each also from the root and with a `/` at the end, and
/// some with braces.
pub(crate) fn patterns() -> Vec<String> {
    let mut plain: Vec<String> = PARTS.map(String::from).to_vec();
    plain.extend(PARTS.iter().flat_map(|first| PARTS.map(|second| format!("{first}/{second}"))));
    let few = ["a", "*", "**", "?"];
    for (first, second) in few.iter().flat_map(|first| few.map(|second| (first, second))) {
        plain.extend(few.map(|third| format!("{first}/{second}/{third}")));
    }
    let braces =
        ["{a,b}", "{a/b,b}", "{a/,*b}", "{?,??*}", "a/{?,*}", "{a,b}/**", "{a/*,b/aa}/", "/{a/b/*,*}"];
    let slashed = plain
        .iter()
        .flat_map(|pattern| [format!("{pattern}/"), format!("/{pattern}/"), format!("/{pattern}")]);
    plain.iter().cloned().chain(slashed).chain(braces.map(String::from)).collect()
}

#[test]
fn verdicts_agree_with_the_paths_that_may_be_below() {
    let mut seen = std::collections::BTreeMap::new();
    for pattern in patterns() {
        for path in paths() {
            for (is_directory, is_removed) in [(false, false), (false, true), (true, false), (true, true)] {
                let expected = verdict(&pattern, &path, is_directory, is_removed);
                let found = engine(&pattern, &path, is_directory, is_removed);
                assert_eq!(
                    found, expected,
                    "{pattern} on {path:?}, directory: {is_directory}, removed: {is_removed}"
                );
                *seen.entry((expected, is_directory, is_removed)).or_insert(0) += 1;
            }
        }
    }
    // A model that says one thing only would agree with nothing.
    assert_eq!(seen.len(), 12 - 1, "a removed file is never unknown: {seen:?}");
    assert!(seen.values().all(|count| *count > 100), "{seen:?}");
}

#[test]
fn a_directory_gets_no_less_severe_verdict_than_a_file() {
    for pattern in patterns() {
        for path in paths() {
            for is_removed in [false, true] {
                let [file, directory] = [false, true].map(|kind| engine(&pattern, &path, kind, is_removed));
                assert!(directory >= file, "{pattern} on {path:?}");
            }
        }
    }
}
