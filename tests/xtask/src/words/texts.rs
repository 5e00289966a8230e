//! Sentences of a file: the prose of a page, the comments of a source, and the string literals of a library.

use super::{
    File,
    sentences::{Sentence, SentenceKind},
};

/// The comments of a language.
struct Comments {
    /// The signs with which a line of a comment begins.
    openings: &'static [&'static str],
    /// The sign of a comment after code.
    trailing: &'static str,
}

/// A paragraph as it is collected.
#[derive(Clone, Default)]
struct Paragraph {
    line: usize,
    text: String,
}

/// Returns the sentences of a file, in order. Code, tables of numbers and licenses have none.
pub(super) fn sentences(file: &File) -> Vec<Sentence> {
    let lines = || file.text.lines().enumerate();
    let split_all = |paragraphs: &[Paragraph], kind| -> Vec<Sentence> {
        paragraphs.iter().flat_map(|paragraph| split(&file.path, paragraph, kind)).collect()
    };
    let comments = match file.path.rsplit('.').next().unwrap_or_default() {
        "md" => return split_all(&[paragraphs(lines()), in_fences(lines())].concat(), SentenceKind::Prose),
        "rs" => Comments { openings: &["///", "//!", "//"], trailing: "//" },
        "ts" | "mjs" | "js" => Comments { openings: &["//", "/**", "/*", "*/", "*"], trailing: "//" },
        "py" | "sh" | "toml" | "yml" => Comments { openings: &["#"], trailing: "#" },
        _ => return Vec::new(),
    };
    let mut prose = paragraphs(lines().map(|(number, line)| (number, comments.whole(line))));
    prose.extend(lines().filter_map(|(number, line)| {
        let text = comments.after_code(line)?;
        Some(Paragraph { line: number, text: text.to_owned() })
    }));
    let literals = if has_messages(&file.path) { literals(lines()) } else { Vec::new() };
    [split_all(&prose, SentenceKind::Prose), split_all(&literals, SentenceKind::Literal)].concat()
}

impl Comments {
    /// Returns the text of a line that is a comment; empty for code.
    fn whole<'a>(&self, line: &'a str) -> &'a str {
        let line = line.trim_start();
        let comment = self.openings.iter().find_map(|opening| line.strip_prefix(opening));
        // A shebang and an attribute for a tool are no prose.
        let comment = comment.filter(|text| text.is_empty() || text.starts_with([' ', '/']));
        comment.map_or("", |text| text.trim().trim_end_matches("*/").trim_end())
    }

    /// Returns the comment after code, also in the example of a doc comment.
    fn after_code<'a>(&self, line: &'a str) -> Option<&'a str> {
        let line = line.trim_start();
        let example = ["///", "//!"].iter().find_map(|opening| line.strip_prefix(opening));
        let code = match example {
            Some(example) => example.trim_start(),
            None if self.openings.iter().any(|opening| line.starts_with(opening)) => return None,
            None => line,
        };
        comment(code, self.trailing)
    }
}

/// Returns the comment in a line of code, unless a quotation mark before it is open.
fn comment<'a>(code: &'a str, sign: &str) -> Option<&'a str> {
    let begins =
        |at: &usize| code.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']));
    let is_outside = |at: &usize| {
        let before = code.get(..*at).unwrap_or_default();
        ['"', '\'', '`'].iter().all(|quote| before.matches(*quote).count().is_multiple_of(2))
    };
    let at = code.match_indices(sign).map(|(at, _)| at).find(|at| begins(at) && is_outside(at))?;
    code.get(at + sign.len()..)?.strip_prefix(' ').map(str::trim)
}

/// Returns the comments in the fenced code of a page.
fn in_fences<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let mut is_code = false;
    let mut comments = Vec::new();
    for (number, line) in lines {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if let Some(text) =
            ["#", "//"].iter().find_map(|sign| comment(line.trim(), sign)).filter(|_| is_code)
        {
            comments.push(Paragraph { line: number, text: text.to_owned() });
        }
    }
    comments
}

/// Returns whether the string literals of a file are messages for users: those of libraries and of the command.
fn has_messages(path: &str) -> bool {
    let is_source = path.ends_with(".rs") || path.ends_with(".ts") && !path.ends_with(".d.ts");
    is_source && path.contains("/src/") && !path.starts_with("tests/") && !path.contains("/tests")
}

/// Returns the string literals of at least three words, up to the tests of a file.
fn literals<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let mut literals = Vec::new();
    for (number, line) in lines.take_while(|(_, line)| !line.starts_with("#[cfg(test)]")) {
        let mut line = line.trim_start();
        if line.starts_with("//") || line.starts_with('*') {
            continue;
        }
        while let Some((_, rest)) = line.split_once('"') {
            let end = rest
                .match_indices('"')
                .map(|(at, _)| at)
                .find(|at| !rest.get(..*at).is_some_and(|text| text.ends_with('\\')));
            let (text, after) = end.map_or((rest, ""), |end| {
                (rest.get(..end).unwrap_or_default(), rest.get(end + 1..).unwrap_or_default())
            });
            if text.matches(' ').count() > 1 {
                literals.push(Paragraph { line: number, text: text.to_owned() });
            }
            line = after;
        }
    }
    literals
}

/// Joins lines to paragraphs: a heading, an item and a cell of a table is one of its own.
fn paragraphs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut fence, mut is_open) = (None, false);
    for (number, line) in lines {
        let line = line.trim();
        if let Some(sign) = ["```", "~~~"].into_iter().find(|sign| line.starts_with(sign)) {
            fence = if fence == Some(sign) { None } else { fence.or(Some(sign)) };
            is_open = false;
            continue;
        }
        if fence.is_some() || line.is_empty() || line.starts_with("<!--") {
            is_open = false;
            continue;
        }
        if line.starts_with('|') {
            paragraphs
                .extend(line.split('|').map(|cell| Paragraph { line: number, text: cell.trim().to_owned() }));
            is_open = false;
            continue;
        }
        let item = line
            .trim_start_matches(|sign: char| sign.is_ascii_digit())
            .trim_start_matches(['-', '*', '.', '#', '>', '@']);
        let begins = item.len() < line.len() && item.starts_with(' ') || line.starts_with('@');
        match paragraphs.last_mut().filter(|_| is_open && !begins) {
            Some(paragraph) => {
                paragraph.text.push(' ');
                paragraph.text.push_str(line);
            }
            None => {
                let text = if begins { item.trim() } else { line };
                paragraphs.push(Paragraph { line: number, text: text.to_owned() });
            }
        }
        is_open = !line.starts_with('#');
    }
    paragraphs
}

/// Splits a paragraph where a sentence ends and another one begins.
fn split<'a>(
    path: &'a str,
    paragraph: &'a Paragraph,
    kind: SentenceKind,
) -> impl Iterator<Item = Sentence> + 'a {
    let mut rest = paragraph.text.as_str();
    std::iter::from_fn(move || {
        let text = rest.trim();
        if text.is_empty() {
            return None;
        }
        let end =
            text.match_indices(['.', '?', '!', ':']).map(|(at, _)| at + 1).find(|end| is_end(text, *end));
        let (sentence, after) = text.split_at(end.unwrap_or(text.len()));
        rest = after;
        Some(Sentence { path: path.to_owned(), line: paragraph.line + 1, text: sentence.to_owned(), kind })
    })
}

/// Returns whether a sentence ends there: a space follows, and then a capital letter or a sign that opens something.
fn is_end(text: &str, end: usize) -> bool {
    let (before, after) = text.split_at(end);
    let abbreviated = ["e.g.", "i.e.", "etc.", "vs."].iter().any(|word| before.ends_with(word));
    let next = after.trim_start().chars().next();
    let begins = next.is_some_and(|next| next.is_uppercase() || ['`', '*', '[', '"', '('].contains(&next));
    !abbreviated && after.starts_with(' ') && begins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        sentences(&file).into_iter().map(|sentence| sentence.text).filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn lines_of_a_comment_are_one_text() {
        let source = "/// One sentence\n/// of two lines. Another.\nfn f() {}\n// A third one.\n";
        assert_eq!(texts("a.rs", source), ["One sentence of two lines.", "Another.", "A third one."]);
        let source = "/**\n * A text: `code.` Then more.\n * @returns the rest\n */\nlet a = 1; // One.\n";
        assert_eq!(texts("a.ts", source), ["A text:", "`code.` Then more.", "returns the rest", "One."]);
    }

    #[test]
    fn comments_after_code_and_in_examples_are_prose() {
        let source =
            "/// ```\n/// let a = 1; // One.\n/// ```\nlet b = \"a // b\"; // Two.\nlet c = \"// d\";\n";
        assert_eq!(texts("a.rs", source), ["One.", "Two."]);
        assert_eq!(texts("a.toml", "# One.\na = 1 # Two.\nb = \"# c\"\n"), ["One.", "Two."]);
        assert_eq!(texts("a.md", "```sh\nrun it   # One.\ncurl http://a/#b\n```\n"), ["One."]);
    }

    #[test]
    fn literals_of_libraries_are_messages() {
        let source =
            "let a = fault(\"expected a value\", \"b\");\n#[cfg(test)]\nlet c = \"one of the tests\";\n";
        assert_eq!(texts("core/src/a.rs", source), ["expected a value"]);
        assert_eq!(texts("core/tests/a.rs", source), [] as [&str; 0]);
    }

    #[test]
    fn code_is_no_prose() {
        let page = "# A page\n\nText\nof it.\n\n```sh\nWhat is this\n```\n- item\n- other\n\n| a | b |\n";
        assert_eq!(texts("a.md", page), ["A page", "Text of it.", "item", "other", "a", "b"]);
        assert_eq!(texts("a.rs", "/// ```\n/// What::new()\n/// ```\n#![no_std]\n"), [] as [&str; 0]);
    }
}
