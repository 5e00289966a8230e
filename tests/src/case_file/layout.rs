//! The layout of case files: a container is on one line if it fits, except the file's own lists and each case.

use super::tree::Tree;

/// The longest line that a container makes.
const COLUMNS: usize = 120;
/// The field of a group with its cases, each of which has a line for each of its fields.
const CASES: &str = "\"cases\"";

/// The text of a case file.
pub(super) fn layout(file: &Tree) -> String {
    let mut out = String::new();
    match file {
        Tree::List(groups) => {
            broken(&mut out, 0, ['[', ']'], groups, |out, group| layout_group(out, group, 1))
        }
        group => layout_group(&mut out, group, 0),
    }
    out.push('\n');
    out
}

/// The text of a value outside of a case file.
pub(super) fn layout_value(value: &Tree) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn layout_group(out: &mut String, group: &Tree, depth: usize) {
    fields(out, group, depth, |out, name, value, depth| match value {
        Tree::List(cases) if name == CASES => broken(out, depth, ['[', ']'], cases, |out, case| {
            fields(out, case, depth + 1, |out, _, value, depth| write(out, value, depth));
        }),
        value => write(out, value, depth),
    });
}

/// Writes an object with a line for each field.
fn fields(out: &mut String, object: &Tree, depth: usize, value: impl Fn(&mut String, &str, &Tree, usize)) {
    let Tree::Object(fields) = object else { return write(out, object, depth) };
    broken(out, depth, ['{', '}'], fields, |out, (name, field)| {
        out.push_str(name);
        out.push_str(": ");
        value(out, name, field, depth + 1);
    });
}

/// Writes a value: on the rest of the line, or with a line for each part.
fn write(out: &mut String, value: &Tree, depth: usize) {
    let line = value.to_line();
    let before = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    let start = out.get(out.len() - before..).unwrap_or_default().chars().count();
    // One more for a comma.
    let fits = start + line.chars().count() < COLUMNS;
    match value {
        Tree::List(items) if !fits && !items.is_empty() => {
            broken(out, depth, ['[', ']'], items, |out, item| write(out, item, depth + 1));
        }
        Tree::Object(members) if !fits && !members.is_empty() => {
            fields(out, value, depth, |out, _, value, depth| write(out, value, depth));
        }
        _ => out.push_str(&line),
    }
}

/// Writes brackets with a line for each part.
fn broken<T>(
    out: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    parts: &[T],
    part: impl Fn(&mut String, &T),
) {
    let indent = |out: &mut String, depth| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    out.push(open);
    for (index, one) in parts.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        indent(out, depth + 1);
        part(out, one);
    }
    indent(out, depth);
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_on_one_line_if_they_fit() {
        let long = "x".repeat(90);
        let text = format!(
            r#"{{"summary": "s", "input": {{"a": [1, 2]}}, "cases": [{{"name": "n", "answer": {{"b": ["{long}", {{}}], "c": []}}}}]}}"#
        );
        let tree = Tree::parse(&text).unwrap();
        let expected = format!(
            r#"{{
  "summary": "s",
  "input": {{"a": [1, 2]}},
  "cases": [
    {{
      "name": "n",
      "answer": {{
        "b": ["{long}", {{}}],
        "c": []
      }}
    }}
  ]
}}
"#
        );
        assert_eq!(layout(&tree), expected);
        assert_eq!(layout(&Tree::parse(&expected).unwrap()), expected);
    }
}
