//! The decision on any output of git about a change set is never more permissive than the decision on `git status
//! --porcelain=v2 -z -uall`.
//!
//! Random repositories, with fixed seeds and the `git` program, have odd names, renames, copies, modes, links, binary
//! and empty files, submodules, untracked trees and conflicts. Each output is evaluated under a policy that forbids one
//! pattern. Patterns that end in white space are left out, because `--stat` pads names with it, and git prints the same
//! text for other names.

pub(crate) mod git;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::Operation;
use serde_json::{Value, json};

use self::{
    git::{Format, Repository, of_diff, of_status},
    workspace::{Random, change, commit, conflict},
};

/// The number of repositories, and the number of those in which a merge fails.
const REPOSITORIES: u64 = 4;
const CONFLICTS: u64 = 1;
/// The number of changed paths that are searched for by name and by folder.
const PATHS: usize = 4;

/// Patterns that are searched for in each repository.
const PATTERNS: [&str; 25] = [
    "**",
    "*",
    "?",
    "deploy/**",
    "deploy/production/**",
    "deploy",
    "deploy/",
    ".github/workflows/**",
    "*.pem",
    "**/*.sql",
    "db/migrations/**",
    "docs/*.md",
    "src/{a,b}/**",
    "src/*/c.rs",
    "sm",
    "sm/**",
    "sm/f",
    "nested/**",
    "nested/x",
    "* => *",
    "deploy/* => */z",
    "b",
    " lead*",
    "trail*",
    "*ü*",
];

/// The verdict of a policy on a pattern, least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Clean,
    Unknown,
    Violated,
}

#[test]
fn no_output_of_git_is_more_permissive_than_its_status() {
    let mut read = BTreeSet::new();
    for seed in 0..REPOSITORIES {
        let mut random = Random::new(seed);
        let repository = Repository::new();
        commit(&repository, &mut random);
        change(&repository, &mut random);
        compare(seed, &repository, &of_status(), &mut read);
        repository.git(&["add", "-A"]);
        compare(seed, &repository, &of_status(), &mut read);
        compare(seed, &repository, &of_diff(), &mut read);
    }
    for seed in 0..CONFLICTS {
        let mut random = Random::new(1_000 + seed);
        let repository = Repository::new();
        commit(&repository, &mut random);
        conflict(&repository);
        compare(seed, &repository, &of_status(), &mut read);
        compare(seed, &repository, &of_diff(), &mut read);
    }
    // If a format is opaque in every repository, the test proves nothing.
    let unread: Vec<&str> = of_status()
        .iter()
        .chain(&of_diff())
        .filter(|format| format.is_read && !read.contains(format.name))
        .map(|format| format.name)
        .collect();
    assert_eq!(unread, Vec::<&str>::new(), "never read, or never of a violation");
}

/// Compares each output with the status, and records the formats in which a violation was found.
fn compare(seed: u64, repository: &Repository, formats: &[Format], read: &mut BTreeSet<&'static str>) {
    let status = Status::read(&repository.git(&["status", "--porcelain=v2", "-z", "-uall"]));
    assert!(!is_opaque(&status.text()), "the status is known");
    for path in status.literal_paths() {
        assert_eq!(verdict(&status.text(), path), Verdict::Violated, "seed {seed}: {path:?} is a change");
    }
    let patterns = status.patterns();
    // Many outputs are the same, and most formats see the same part of the status.
    let mut known: BTreeMap<(String, &str), Verdict> = BTreeMap::new();
    let mut judged = |text: &str, pattern| {
        *known.entry((text.to_owned(), pattern)).or_insert_with(|| verdict(text, pattern))
    };
    for format in formats {
        let output = repository.git(&format.arguments());
        let is_opaque = is_opaque(&output);
        assert!(format.is_read || is_opaque, "seed {seed}: {} is opaque: {output:?}", format.name);
        if is_opaque {
            assert_eq!(
                verdict(&output, "nowhere"),
                Verdict::Unknown,
                "seed {seed}: {} is opaque",
                format.name
            );
            continue;
        }
        let expected = status.seen_by(format);
        let (truth, named) = (expected.text(), expected.all_modified().text());
        for pattern in &patterns {
            let observed = judged(&output, pattern);
            // A format without the content of folders, or without the kind of a change, may leave the verdict unknown.
            let may_be_open = format.folds_folders || judged(&named, pattern) != Verdict::Violated;
            let most = if may_be_open { Verdict::Unknown } else { Verdict::Violated };
            assert!(
                observed >= judged(&truth, pattern).min(most),
                "seed {seed}: {} is more permissive of {pattern:?}: {observed:?}\n{output}\nthan\n{truth:?}",
                format.name
            );
            if observed == Verdict::Violated {
                read.insert(format.name);
            }
        }
    }
}

/// The entries of `git status --porcelain=v2 -z`.
#[derive(Clone)]
struct Status(Vec<Entry>);

#[derive(Clone)]
struct Entry {
    /// The whole entry; the source of a rename follows a NUL.
    text: String,
    paths: Vec<String>,
}

impl Status {
    fn read(text: &str) -> Self {
        let mut tokens = text.split_terminator('\0');
        let mut entries = Vec::new();
        while let Some(token) = tokens.next() {
            // The number of spaces before the path.
            let fields = match &token[..1] {
                "1" => 8,
                "2" => 9,
                "u" => 10,
                "?" => 1,
                other => panic!("an entry of {other:?}"),
            };
            let path = token.splitn(fields + 1, ' ').last().expect("a path").to_owned();
            let source = token.starts_with('2').then(|| tokens.next().expect("a source").to_owned());
            let text = source.iter().fold(token.to_owned(), |text, source| text + "\0" + source);
            entries.push(Entry { text, paths: [path].into_iter().chain(source).collect() });
        }
        Self(entries)
    }

    fn text(&self) -> String {
        self.0.iter().map(|entry| entry.text.clone() + "\0").collect()
    }

    /// The part of the status that a format can see. A diff of the index does not see the worktree, and without modes
    /// no format shows which paths are submodules.
    fn seen_by(&self, format: &Format) -> Self {
        let is_seen = |entry: &&Entry| {
            let is_submodule =
                entry.text.contains(" S") || entry.text.contains("160000") || entry.text.ends_with('/');
            let is_of_worktree = entry.text[2..].starts_with('.');
            !(is_submodule && !format.has_modes || is_of_worktree && format.is_of_index)
        };
        Self(self.0.iter().filter(is_seen).cloned().collect())
    }

    /// The same paths, all modified instead of deleted or renamed.
    fn all_modified(&self) -> Self {
        let entry = |entry: &Entry, path: &String| {
            let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
            let mode = if entry.text.contains("160000") { "160000" } else { "100644" };
            let text = format!("1 M. N... {mode} {mode} {mode} {id} {id} {path}");
            Entry { text, paths: vec![path.clone()] }
        };
        Self(self.0.iter().flat_map(|old| old.paths.iter().map(|path| entry(old, path))).collect())
    }

    /// Paths that match only themselves as patterns.
    fn literal_paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.0.iter().flat_map(|entry| &entry.paths).map(|path| &**path);
        paths.filter(|path| is_literal(path) && !path.ends_with('/'))
    }

    fn patterns(&self) -> Vec<String> {
        let mut patterns: BTreeSet<String> = PATTERNS.iter().map(ToString::to_string).collect();
        for path in self.literal_paths().take(PATHS) {
            patterns.insert(path.into());
            patterns.insert(format!("{path}/below"));
            if let Some((folder, _)) = path.rsplit_once('/') {
                patterns.insert(format!("{folder}/**"));
            }
        }
        patterns.into_iter().collect()
    }
}

/// Returns whether a path matches only itself as a pattern, and is matched at all.
fn is_literal(path: &str) -> bool {
    !path.contains(['*', '?', '{', '}', ',', '\\'])
        && !path.contains(char::is_control)
        && !path.ends_with(' ')
}

fn verdict(summary: &str, pattern: &str) -> Verdict {
    let answer = evaluate(summary, &json!({"forbidden_paths": [pattern]}));
    if has_rule(&answer, "policy_violation") {
        Verdict::Violated
    } else if has_rule(&answer, "unknown_evidence") {
        Verdict::Unknown
    } else {
        Verdict::Clean
    }
}

fn is_opaque(summary: &str) -> bool {
    let then = json!({"status": "partial", "summary": "opaque"});
    let rule = json!({"id": "opaque", "when": {"var": "facts.diff.opaque"}, "then": then});
    has_rule(&evaluate(summary, &json!({"rules": [rule]})), "opaque")
}

fn has_rule(answer: &Value, rule: &str) -> bool {
    answer["findings"].as_array().expect("findings").iter().any(|finding| finding["rule"] == rule)
}

fn evaluate(summary: &str, policy: &Value) -> Value {
    let mut policy = policy.clone();
    policy["policy"] = "repositories".into();
    policy["version"] = "1.0.0".into();
    let envelope = adjudicate_tests::envelope! { steps: r#"["go"]"#, exit_codes: "{}", };
    let mut envelope: Value = serde_json::from_str(envelope).expect("it is JSON");
    envelope["evidence"]["workspace_diff_summary"] = summary.into();
    let call = json!({"envelope": envelope, "policy": policy}).to_string();
    let answer = Operation::Evaluate.call(call.as_bytes()).expect("the call is accepted");
    serde_json::from_str(&answer).expect("an answer is JSON")
}
