//! Fixes: changes that a tool suggests, in words.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_core::json::Node;

use super::run::SarifRun;
use crate::{Location, SuggestedEdit, json, limits::MAX_MESSAGE_CHARACTERS, text::bounded};

/// Returns the first fix of a result. `reason` is the rationale of a fix without a description.
pub(super) fn edit(result: Node<'_>, run: &SarifRun<'_>, reason: &str) -> Option<SuggestedEdit> {
    json::items(result, "fixes").find_map(|fix| {
        let mut target = None;
        let mut acts: Vec<String> = Vec::new();
        for change in json::items(fix, "artifactChanges") {
            let file = run.path(change).unwrap_or_default();
            for replacement in json::items(change, "replacements") {
                let region = replacement.member("deletedRegion");
                let line = region.and_then(|region| json::line_number(region, "startLine"));
                let Some(first) = &target else {
                    target = Location::new(Some(&file), line);
                    acts.push(act(replacement));
                    continue;
                };
                let is_other = first.file != file;
                acts.push(if is_other {
                    format!("in {file}: {}", act(replacement))
                } else {
                    act(replacement)
                });
            }
        }
        let description =
            fix.member("description").and_then(|description| super::message::text(description, None));
        Some(SuggestedEdit {
            target: target?.to_string(),
            action: bounded(&acts.join("; "), MAX_MESSAGE_CHARACTERS),
            rationale: description.unwrap_or_else(|| reason.into()),
        })
    })
}

/// Returns a replacement in words.
fn act(replacement: Node<'_>) -> String {
    let region = replacement.member("deletedRegion").map(FixRegion::new).unwrap_or_default();
    let inserted = replacement.member("insertedContent").and_then(|content| json::text(content, "text"));
    let inserted = inserted.map(|text| bounded(text, MAX_MESSAGE_CHARACTERS)).filter(|text| !text.is_empty());
    match inserted {
        None => format!("delete {}", region.words()),
        Some(text) if region.is_empty() => format!("insert `{text}` at {}", region.words()),
        Some(text) => format!("replace {} by `{text}`", region.words()),
    }
}

/// The place of a replacement.
#[derive(Default)]
struct FixRegion {
    lines: Option<(u64, u64)>,
    columns: Option<(u64, Option<u64>)>,
    characters: Option<(u64, u64)>,
}

impl FixRegion {
    fn new(region: Node<'_>) -> Self {
        let field = |name| json::count(region, name);
        let first = field("startLine");
        Self {
            lines: first.map(|first| (first, field("endLine").unwrap_or(first))),
            columns: field("startColumn").map(|column| (column, field("endColumn"))),
            characters: field("charOffset").map(|offset| (offset, field("charLength").unwrap_or(0))),
        }
    }

    fn is_empty(&self) -> bool {
        match (self.lines, self.columns, self.characters) {
            (Some((first, last)), Some((start, end)), _) => first == last && end == Some(start),
            (None, _, Some((_, length))) => length == 0,
            _ => false,
        }
    }

    fn words(&self) -> String {
        match (self.lines, self.columns, self.characters) {
            (Some((first, last)), Some((start, end)), _) if first == last => match end {
                // The end of a region is the column behind it.
                Some(end) if end > start + 1 => format!("line {first}, columns {start} to {}", end - 1),
                Some(_) => format!("line {first}, column {start}"),
                None => format!("line {first} from column {start}"),
            },
            (Some((first, last)), Some((start, Some(end))), _) => {
                format!("the text from line {first}, column {start} to before line {last}, column {end}")
            }
            (Some((first, last)), _, _) if first == last => format!("line {first}"),
            (Some((first, last)), _, _) => format!("lines {first} to {last}"),
            (None, _, Some((offset, 0))) => format!("character {offset}"),
            (None, _, Some((offset, length))) => {
                format!("characters {offset} to {}", offset.saturating_add(length) - 1)
            }
            (None, _, None) => "the whole file".into(),
        }
    }
}
