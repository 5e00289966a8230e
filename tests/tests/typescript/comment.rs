//! Doc comments of TypeScript.

use adjudicate_core::document::plain;

/// The width of a comment.
const WIDTH: usize = 120;

/// Writes a doc comment from the doc comment of a type, with further lines.
pub(super) fn comment(about: &str, more: &[String], indent: &str) -> String {
    let about = plain(about);
    let texts = about.split("\n\n").filter(|text| !text.is_empty()).chain(more.iter().map(String::as_str));
    let lines: Vec<_> = texts.flat_map(wrapped).map(|line| line.replace("*/", "*\\/")).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

/// Breaks a text into lines.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= WIDTH) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
