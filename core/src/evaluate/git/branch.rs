//! The header lines of a status: the branch and its relation to its upstream.

/// Reads `## main...origin/main [ahead 1]` after `## `; true if commits may hold changes.
pub(super) fn short(header: &str) -> Option<bool> {
    if header == "HEAD (no branch)" {
        return Some(false);
    }
    let name =
        ["No commits yet on ", "Initial commit on "].iter().find_map(|words| header.strip_prefix(words));
    let (name, upstream) = match name.unwrap_or(header).split_once(' ') {
        Some((name, upstream)) => (name, upstream.strip_prefix('[')?.strip_suffix(']')?),
        None => (name.unwrap_or(header), ""),
    };
    let is_known = |part: &str| {
        let count = part.strip_prefix("ahead ").or_else(|| part.strip_prefix("behind "));
        matches!(part, "" | "gone" | "different") || count.is_some_and(super::is_count)
    };
    let is_header = is_name(name) && upstream.split(", ").all(is_known);
    is_header.then(|| upstream.starts_with("ahead ") || upstream == "different")
}

/// Reads `# branch.ab +1 -0` after `# `; true if commits may hold changes.
pub(super) fn porcelain(header: &str) -> Option<bool> {
    let (key, value) = header.split_once(' ')?;
    match key {
        "branch.ab" => {
            let (ahead, behind) = value.split_once(' ')?;
            let (ahead, behind) = (ahead.strip_prefix('+')?, behind.strip_prefix('-')?);
            (super::is_count(ahead) && super::is_count(behind)).then_some(ahead != "0")
        }
        "branch.oid" | "branch.head" | "branch.upstream" => is_name(value).then_some(false),
        "stash" => super::is_count(value).then_some(false),
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}
