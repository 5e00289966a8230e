//! The links of pages lead to files and headings that exist, and the book has all its pages and leads nowhere else. A command reads each
//! document in JSON or YAML, a schema describes it, or another program reads it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use super::{ROOT, read};
use crate::schemas::Schemas;

/// The address of a file of the repository.
const REPOSITORY: &str = "https://github.com/OWNER/adjudicate/blob/main/";

/// All pages of the repository, with their paths from its root.
pub(crate) fn pages() -> BTreeMap<PathBuf, String> {
    fn add(folder: &Path, out: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            let name = entry.file_name().into_string().expect("a name");
            if entry.file_type().expect("a type").is_dir() {
                if !matches!(name.as_str(), "target" | "node_modules" | ".git" | "templates" | "work") {
                    add(&path, out);
                }
            } else if name.ends_with(".md") {
                out.insert(path.clone(), read(path.to_str().expect("a path")));
            }
        }
    }
    let mut pages = BTreeMap::new();
    add(Path::new(""), &mut pages);
    pages
}

/// The lines of a page outside of fenced code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of links in a page.
fn links(page: &str) -> Vec<&str> {
    let without_code = prose(page).flat_map(|line| line.split('`').step_by(2));
    // The text of a link may be code, so its target can begin a part.
    let parts = without_code.flat_map(|part| part.split("](").skip(1));
    parts.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them, each with the text up to the next heading.
pub(crate) fn sections(page: &str) -> Vec<(String, &str)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    let (mut is_code, mut begin) = (false, 0);
    for line in page.split_inclusive('\n') {
        let end = begin + line.len();
        is_code ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !is_code {
            let is_kept = |sign: &char| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_');
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let anchor = heading.chars().filter(is_kept).collect::<String>().replace(' ', "-");
            let count = seen.entry(anchor.clone()).or_default();
            *count += 1;
            let anchor = if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) };
            found.push((anchor, begin, end));
        }
        begin = end;
    }
    let ends: Vec<usize> = found.iter().skip(1).map(|(_, begin, _)| *begin).chain([page.len()]).collect();
    found.into_iter().zip(ends).map(|((anchor, _, begin), end)| (anchor, page[begin..end].trim())).collect()
}

/// The anchors of a page: those of its headings, and those that stand in it.
pub(crate) fn anchors(page: &str) -> BTreeSet<String> {
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let named = named.map(|(anchor, _)| anchor.to_owned());
    sections(page).into_iter().map(|(anchor, _)| anchor).chain(named).collect()
}

/// The path of a link's target from the root of the repository.
fn resolve(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().expect("a folder").to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{}: {target}", page.display()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = pages();
    let mut faults = Vec::new();
    for (page, text) in &pages {
        for link in links(text) {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = match target.strip_prefix(REPOSITORY) {
                Some(path) => PathBuf::from(path),
                None if target.contains(':') => continue,
                None if target.is_empty() => page.clone(),
                None => resolve(page, target),
            };
            let is_there = Path::new(ROOT).join(&path).exists();
            let has_anchor =
                anchor.is_empty() || pages.get(&path).is_none_or(|text| anchors(text).contains(anchor));
            // A page of the book that links to a file outside of it has a broken link when it is built.
            let is_out_of_book =
                page.starts_with("docs") && !target.contains(':') && !path.starts_with("docs");
            if !is_there || !has_anchor || is_out_of_book {
                faults.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_summary_of_the_book_has_each_page() {
    let summary = read("docs/SUMMARY.md");
    let listed: Vec<PathBuf> =
        links(&summary).into_iter().map(|link| resolve(Path::new("docs/SUMMARY.md"), link)).collect();
    let distinct: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), distinct.len(), "a page is listed twice");
    let mut found: BTreeSet<PathBuf> = pages().into_keys().filter(|path| path.starts_with("docs")).collect();
    found.remove(Path::new("docs/SUMMARY.md"));
    assert_eq!(distinct, found);
}

const MARKER: &str = "<!-- schema ";

/// The documents without a schema, by page: settings of other programs, and lines that the server writes.
const OTHERS: [(&str, usize); 3] =
    [("docs/operate/deploy.md", 2), ("docs/operate/monitor-and-alert.md", 2), ("docs/reference/ci.md", 4)];

/// Returns a document as JSON.
fn json(language: &str, text: &str) -> Option<String> {
    match language {
        "json" => serde_json::from_str::<serde_json::Value>(text).is_ok().then(|| text.to_owned()),
        _ => adjudicate_yaml::to_json(text.as_bytes()).ok(),
    }
}

#[test]
fn documents_in_the_book_are_valid() {
    let schemas = Schemas::read();
    let (pages, mut others) = (pages(), BTreeMap::new());
    let mut valid = 0;
    for (page, text) in pages.iter().filter(|(page, _)| page.starts_with("docs")) {
        let mut lines = text.lines();
        let mut before = "";
        while let Some(line) = lines.next() {
            let Some(language) = line.strip_prefix("```") else {
                before = if line.is_empty() { before } else { line };
                continue;
            };
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            if !["json", "yaml"].contains(&language) {
                continue;
            }
            let name = format!("{}: {}", page.display(), block.join("\n"));
            let document = json(language, &block.join("\n")).unwrap_or_else(|| panic!("{name}"));
            let schema = before.strip_prefix(MARKER).and_then(|rest| rest.strip_suffix(" -->"));
            // A page with the name of a file before a document has a command that reads the file.
            let file = before.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
            let is_file = file.is_some_and(|file| !file.contains('`'));
            match schema {
                Some(schema) => schemas.compile(schema).accept(document.as_bytes(), &name),
                None if is_file || page.starts_with("docs/reference/rules") => {}
                None => *others.entry(page.to_str().expect("a path")).or_default() += 1,
            }
            valid += 1;
        }
    }
    assert!(valid > 130, "{valid}");
    assert_eq!(others, BTreeMap::from(OTHERS), "documents without a schema");
    for (file, language) in [("dashboard.json", "json"), ("alerts.yaml", "yaml")] {
        assert!(json(language, &read(&format!("docs/operate/{file}"))).is_some(), "{file}");
    }
}
