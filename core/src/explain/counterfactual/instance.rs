//! Names for new artifacts, files and validators, derived from patterns or arbitrary.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    paths::{Glob, Path, Pattern, alternatives},
};

/// The most paths for one pattern.
const MOST: usize = 8;
/// The most required patterns that are considered together.
const TOGETHER: usize = 16;
/// The budget of one pattern; a more complex one gets no example.
const BUDGET: u64 = 1 << 14;
/// The placeholder for any file name or part of one.
pub(super) const ANY_FILE: &str = "file";

/// Unused names: the name itself, then numbered ones.
pub(super) fn fresh_names(name: &str, count: usize, is_taken: &dyn Fn(&str) -> bool) -> Vec<String> {
    let numbered = (1..).map(|number| match number {
        1 => String::from(name),
        _ => format!("{name}-{number}"),
    });
    numbered.filter(|name| !is_taken(name)).take(count).collect()
}

/// Paths that match a pattern, one for each of its first alternatives, with `any` for wildcards.
pub(super) fn instances(pattern: &str, any: &str) -> Vec<String> {
    compiled(pattern, any).map(|(_, instances)| instances).unwrap_or_default()
}

/// For each required pattern, the paths that match it, including those that match several.
pub(super) fn instances_of_all<'p>(patterns: &[&'p str]) -> Vec<(&'p str, Vec<String>)> {
    let compiled = patterns.iter().filter_map(|pattern| Some((*pattern, compiled(pattern, ANY_FILE)?)));
    let compiled: Vec<(&str, (Glob, Vec<String>))> = compiled.collect();
    let shared = if patterns.len() > TOGETHER { &[] } else { &*compiled };
    let all: Vec<&String> = shared.iter().flat_map(|(_, (_, instances))| instances).collect();
    let paths = |(pattern, (glob, own)): &(&'p str, (Glob, Vec<String>))| {
        let mut paths = own.clone();
        for path in &all {
            let mut steps = Steps::new(BUDGET);
            if !paths.contains(path) && glob.is_met_by(&Path::split(path), &mut steps) == Ok(true) {
                paths.push((*path).clone());
            }
        }
        (*pattern, paths)
    };
    compiled.iter().map(paths).collect()
}

fn compiled(pattern: &str, any: &str) -> Option<(Glob, Vec<String>)> {
    let mut steps = Steps::new(BUDGET);
    let glob = Glob::compile(Pattern::new(pattern).ok()?, &mut steps).ok()?;
    let texts = alternatives(pattern, &mut steps).ok()?;
    let mut found: Vec<String> = Vec::new();
    for text in texts.iter().take(MOST) {
        let path = instance(text, any);
        if glob.matches(&Path::split(&path), &mut steps) == Ok(true) && !found.contains(&path) {
            found.push(path);
        }
    }
    Some((glob, found))
}

fn instance(text: &str, any: &str) -> String {
    let mut segments: Vec<String> = Vec::new();
    for segment in text.split('/').filter(|segment| !segment.is_empty() && *segment != "**") {
        segments.push(segment.replace("**", "*").replace('*', any).replace('?', "x"));
    }
    // A pattern that ends in `/` matches the contents of a directory.
    if text.ends_with("**") || text.ends_with('/') || segments.is_empty() {
        segments.push(any.into());
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
            ("docs/", &["docs/file"]),
        ] {
            assert_eq!(instances(pattern, ANY_FILE), expected, "{pattern}");
        }
    }
    #[test]
    fn fresh_names_are_not_taken() {
        assert_eq!(fresh_names("tests", 1, &|_| false), ["tests"]);
        assert_eq!(
            fresh_names("tests", 3, &|name| ["tests", "tests-3"].contains(&name)),
            ["tests-2", "tests-4", "tests-5"]
        );
        assert!(fresh_names("tests", 0, &|_| true).is_empty());
    }
}
