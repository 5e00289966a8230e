//! Paths that match a pattern: what an artifact or a file could be called that is asked for by one.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use crate::{
    paths::{Glob, Path, Pattern, alternatives},
    steps::Steps,
};

/// How many paths are made of one pattern.
const MOST: usize = 8;
/// How many patterns that are asked for together are looked at together.
const TOGETHER: usize = 16;
/// What one pattern may take: one that stands for more has no example.
const BUDGET: u64 = 1 << 14;
/// What stands for any name or part of one.
const ANY: &str = "file";

/// Paths that match a pattern, one for each of its first alternatives.
pub(super) fn instances(pattern: &str) -> Vec<String> {
    compiled(pattern).map(|(_, instances)| instances).unwrap_or_default()
}

/// For each of some patterns the paths that match it, those that match others too among them.
pub(super) fn instances_of_all<'p>(patterns: &[&'p str]) -> BTreeMap<&'p str, Vec<String>> {
    let mut found = BTreeMap::new();
    if patterns.len() > TOGETHER {
        found.extend(patterns.iter().map(|pattern| (*pattern, instances(pattern))));
        return found;
    }
    let globs: Vec<(Glob, Vec<String>)> = patterns.iter().filter_map(|pattern| compiled(pattern)).collect();
    let all: Vec<&String> = globs.iter().flat_map(|(_, instances)| instances).collect();
    for (glob, own) in &globs {
        let mut paths = own.clone();
        for path in &all {
            let mut steps = Steps::new(BUDGET);
            if !paths.contains(path) && glob.matches(&Path::split(path), &mut steps) == Ok(true) {
                paths.push((*path).clone());
            }
        }
        found.extend(
            patterns.iter().find(|pattern| **pattern == glob.text()).map(|pattern| (*pattern, paths)),
        );
    }
    found
}

fn compiled(pattern: &str) -> Option<(Glob, Vec<String>)> {
    let mut steps = Steps::new(BUDGET);
    let glob = Glob::compile(Pattern::new(pattern).ok()?, &mut steps).ok()?;
    let texts = alternatives(pattern, &mut steps).ok()?;
    let mut found: Vec<String> = Vec::new();
    for text in texts.iter().take(MOST) {
        let path = instance(text);
        if glob.matches(&Path::split(&path), &mut steps) == Ok(true) && !found.contains(&path) {
            found.push(path);
        }
    }
    Some((glob, found))
}

fn instance(text: &str) -> String {
    let mut segments: Vec<String> = Vec::new();
    for segment in text.split('/').filter(|segment| !segment.is_empty() && *segment != "**") {
        segments.push(segment.replace("**", "*").replace('*', ANY).replace('?', "x"));
    }
    if text.ends_with("**") || segments.is_empty() {
        segments.push(ANY.into());
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_instances() {
        for (pattern, expected) in [
            ("report.md", &["report.md"][..]),
            ("*.log", &["file.log"]),
            ("logs/**", &["logs/file"]),
            ("**/a?.txt", &["ax.txt"]),
            ("{a,b/*}.txt", &["a.txt", "b/file.txt"]),
            ("**", &["file"]),
            ("docs/", &["docs"]),
        ] {
            assert_eq!(instances(pattern), expected, "{pattern}");
        }
    }
}
