//! Sentences of a file: the prose of a page, the comments of a source, and the string literals of a library.

use super::{
    File,
    sentences::{Sentence, SentenceKind},
};

/// A text, and the line in which it begins.
type Paragraph = (usize, String);

/// The signs with which a line of a comment begins, and the sign of a comment after code.
type Comments = (&'static [&'static str], &'static str);

/// Returns the sentences of a file, in order. Code, tables of numbers and licenses have none.
pub(super) fn sentences(file: &File) -> Vec<Sentence> {
    let lines = || file.text.lines().enumerate();
    let Some(comments) = comments(&file.path) else { return Vec::new() };
    let (whole, other): (_, Vec<_>) = match comments.1 {
        "" => (paragraphs(lines()), in_fences(lines())),
        _ => {
            let after = |(number, line)| Some((number, after_code(line, comments)?.to_owned()));
            (paragraphs(text_lines(file).enumerate()), lines().filter_map(after).collect())
        }
    };
    let literals = if has_messages(&file.path) { literals(file) } else { Vec::new() };
    let split_all = |paragraphs: Vec<Paragraph>, kind| {
        let split = move |(line, text): Paragraph| split(&text).into_iter().map(move |text| (line, text));
        let of = move |(line, text)| Sentence { path: file.path.clone(), line: line + 1, text, kind };
        paragraphs.into_iter().flat_map(split).map(of)
    };
    let prose = split_all([whole, other].concat(), SentenceKind::Prose);
    prose.chain(split_all(literals, SentenceKind::Literal)).collect()
}

/// Returns the signs of comments in a file; pages have only text.
fn comments(path: &str) -> Option<Comments> {
    Some(match path.rsplit('.').next()? {
        "md" => (&[], ""),
        "rs" => (&["///", "//!", "//"], "//"),
        "ts" | "mjs" | "js" => (&["//", "/**", "/*", "*/", "*"], "//"),
        "py" | "sh" | "toml" | "yml" => (&["#"], "#"),
        _ => return None,
    })
}

/// Returns each line of a page, or the text of each line that is a comment; empty for code.
pub(super) fn text_lines(file: &File) -> impl Iterator<Item = &str> {
    let comments = comments(&file.path).unwrap_or_default();
    file.text.lines().map(move |line| if comments.1.is_empty() { line } else { whole(line, comments) })
}

/// Returns the text of a line that is a comment; empty for code.
fn whole(line: &str, (openings, _): Comments) -> &str {
    let line = line.trim_start();
    let comment = openings.iter().find_map(|opening| line.strip_prefix(opening));
    // A shebang and an attribute for a tool are no prose.
    let comment = comment.filter(|text| text.is_empty() || text.starts_with([' ', '/']));
    comment.map_or("", |text| text.trim().trim_end_matches("*/").trim_end())
}

/// Returns the comment after code, also in the example of a doc comment.
fn after_code(line: &str, (openings, sign): Comments) -> Option<&str> {
    let line = line.trim_start();
    match ["///", "//!"].iter().find_map(|opening| line.strip_prefix(opening)) {
        Some(example) => comment(example.trim_start(), sign),
        None if openings.iter().any(|opening| line.starts_with(opening)) => None,
        None => comment(line, sign),
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
        } else if is_code {
            let text = ["#", "//"].iter().find_map(|sign| comment(line.trim(), sign));
            comments.extend(text.map(|text| (number, text.to_owned())));
        }
    }
    comments
}

/// Returns whether the string literals of a file are messages for users: those of libraries and of the command.
fn has_messages(path: &str) -> bool {
    let is_source = path.ends_with(".rs") || path.ends_with(".ts") && !path.ends_with(".d.ts");
    is_source && path.contains("/src/") && !path.starts_with("tests/") && !path.contains("/tests")
}

/// Returns the paragraphs of the string literals of at least three words, up to the unit tests of a file. Each has the line in which its
/// literal begins.
fn literals(file: &File) -> Vec<Paragraph> {
    let is_rust = file.path.ends_with(".rs");
    let code = file.text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(sign) = code.get(at..).and_then(|rest| rest.find(['"', '\'', '/', '`'])) {
        let (before, rest) = code.split_at(at + sign);
        let (text, length) = match (rest.strip_prefix('"'), rest.strip_prefix('`')) {
            (Some(text), _) => {
                let literal = literal(before, text, is_rust);
                (unescaped(literal), literal.len() + 2)
            }
            (_, Some(template)) if !is_rust => {
                let (text, length) = self::template(template);
                (unescaped(&text), length + 1)
            }
            _ => (String::new(), no_literal(before, rest)),
        };
        if text.matches(' ').count() > 1 {
            let line = before.matches('\n').count();
            found.extend(paragraphs(text.lines().enumerate()).into_iter().map(|(_, text)| (line, text)));
        }
        at = before.len() + length;
    }
    found
}

/// Returns the text of a template literal of TypeScript, which begins after its backtick, and the length up to the closing one.
/// An expression in the text becomes code.
fn template(source: &str) -> (String, usize) {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(sign) = source.get(at..).and_then(|rest| rest.find(['`', '\\', '$'])) {
        let (before, rest) = source.split_at(at + sign);
        text += before.get(at..).unwrap_or_default();
        at += sign;
        match rest.as_bytes() {
            [b'`', ..] => return (text, at + 1),
            [b'$', b'{', ..] => {
                text += "`x`";
                at += 2 + expression(rest.get(2..).unwrap_or_default());
            }
            [b'\\', escaped, ..] if escaped.is_ascii() => {
                text += rest.get(..2).unwrap_or_default();
                at += 2;
            }
            _ => {
                text += "$";
                at += 1;
            }
        }
    }
    (text, source.len())
}

/// Returns the length of an expression in a template up to its closing brace, with the templates in it.
fn expression(source: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(sign) = source.get(at..).and_then(|rest| rest.find(['{', '}', '`'])) {
        at += sign + 1;
        match source.as_bytes().get(at - 1) {
            Some(b'{') => depth += 1,
            Some(b'}') if depth == 0 => return at,
            Some(b'}') => depth -= 1,
            _ => at += template(source.get(at..).unwrap_or_default()).1,
        }
    }
    source.len()
}

/// Returns the text of a literal, which begins `text` after a quotation mark.
fn literal<'a>(before: &str, text: &'a str, is_rust: bool) -> &'a str {
    let opening = before.trim_end_matches('#');
    let is_end = |at: &usize| {
        let text = text.get(..*at).unwrap_or_default();
        (text.len() - text.trim_end_matches('\\').len()).is_multiple_of(2)
    };
    let end = match is_rust && opening.ends_with('r') {
        true => text.find(&format!("\"{}", "#".repeat(before.len() - opening.len()))),
        false => text.match_indices('"').map(|(at, _)| at).find(is_end),
    };
    let whole = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    // A literal of TypeScript ends with its line: otherwise the quotation mark is in a pattern.
    if is_rust { whole } else { whole.lines().next().unwrap_or_default() }
}

/// Returns the length of a comment, of a character, or of an apostrophe or slash alone.
fn no_literal(before: &str, rest: &str) -> usize {
    let until = |from: usize, end: &str| {
        let rest_of_it = rest.get(from..).unwrap_or_default();
        from + rest_of_it.find(end).map_or(rest_of_it.len(), |at| at + end.len())
    };
    match rest.as_bytes() {
        [b'/', b'/', ..] => until(2, "\n"),
        [b'/', b'*', ..] if before.trim_end_matches(' ').ends_with('\n') => until(2, "*/"),
        [b'\'', b'\\', ..] => until(3, "'"),
        [b'\'', _, b'\'', ..] => 3,
        _ => 1,
    }
}

/// Returns a literal without the line ends that backslashes escape, and with the others.
fn unescaped(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start()).replace("\\n", "\n")
}

/// Joins lines to paragraphs: a heading, an item and a cell of a table is one of its own.
fn paragraphs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut fence, mut is_open) = (None, false);
    for (number, line) in lines {
        let line = line.trim();
        let sign = ["```", "~~~"].into_iter().find(|sign| line.starts_with(sign));
        if sign.is_some() {
            fence = if fence == sign { None } else { fence.or(sign) };
        }
        if fence.is_some() || sign.is_some() || line.is_empty() || line.starts_with("<!--") {
            is_open = false;
        } else if line.starts_with('|') {
            paragraphs.extend(line.split('|').map(|cell| (number, cell.trim().to_owned())));
            is_open = false;
        } else {
            let item = line
                .trim_start_matches(|sign: char| sign.is_ascii_digit())
                .trim_start_matches(['-', '*', '.', '#', '>', '@']);
            let begins = item.len() < line.len() && item.starts_with(' ') || line.starts_with('@');
            match paragraphs.last_mut().filter(|_| is_open && !begins) {
                Some((_, text)) => *text = format!("{text} {line}"),
                None => paragraphs.push((number, if begins { item.trim() } else { line }.to_owned())),
            }
            is_open = !line.starts_with('#');
        }
    }
    paragraphs
}

/// Splits a paragraph where a sentence ends and another one begins.
fn split(paragraph: &str) -> Vec<String> {
    let (mut sentences, mut rest) = (Vec::new(), paragraph.trim());
    while !rest.is_empty() {
        let ends = rest.match_indices(['.', '?', '!', ':']).map(|(at, _)| at + 1);
        let (sentence, after) =
            rest.split_at(ends.into_iter().find(|end| is_end(rest, *end)).unwrap_or(rest.len()));
        sentences.push(sentence.to_owned());
        rest = after.trim();
    }
    sentences
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
        let source = "let a = fault(\"expected a value\", \"b\");\n#[cfg(test)]\nmod tests {\nlet c = \"one of the tests\";\n";
        assert_eq!(texts("core/src/a.rs", source), ["expected a value"]);
        let source = "let a = '\"';\nlet b: &'a str = \"One text \\\n    of \\\"two\\\" lines.\nAnother\\n\\nA third one\"; // \"\nlet c = r#\"a \"fourth\" one\"#;\n";
        let expected = ["One text of \\\"two\\\" lines.", "Another", "A third one", "a \"fourth\" one"];
        assert_eq!(texts("core/src/a.rs", source), expected);
        assert_eq!(texts("js/src/a.ts", "let a = `\"`;\nlet b = \"One text here\";\n"), ["One text here"]);
        let source = "let c = `One ${a ? `of \"two\"` : {}} text. Another\\`s`;\nlet d = `Two ${a} texts`;";
        assert_eq!(texts("js/src/a.ts", source), ["One `x` text.", "Another\\`s", "Two `x` texts"]);
        assert_eq!(texts("core/tests/a.rs", source), [] as [&str; 0]);
    }

    #[test]
    fn code_is_no_prose() {
        let page = "# A page\n\nText\nof it.\n\n```sh\nWhat is this\n```\n- item\n- other\n\n| a | b |\n";
        assert_eq!(texts("a.md", page), ["A page", "Text of it.", "item", "other", "a", "b"]);
        assert_eq!(texts("a.rs", "/// ```\n/// What::new()\n/// ```\n#![no_std]\n"), [] as [&str; 0]);
    }
}
