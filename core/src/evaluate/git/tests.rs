//! Every format, as git 2.47 prints it.

mod diff;
mod patch;
mod status;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::*;

/// The files of a text in short notation: `A path`, `R path < from`, `? path` without a change, a `/` after the letter for a
/// directory, `| whole`. For an opaque text, its count and flag.
fn read(text: &str) -> Result<Vec<String>, (Option<u64>, bool)> {
    let letter = |change: Option<Change>| match change {
        Some(Change::Added) => 'A',
        Some(Change::Modified) => 'M',
        Some(Change::Deleted) => 'D',
        Some(Change::Renamed) => 'R',
        None => '?',
    };
    let line = |file: &FileLine<'_>| {
        let slash = if file.is_directory { "/" } else { "" };
        let from = file.from.as_ref().map(|from| format!(" < {from}")).unwrap_or_default();
        let whole = file.whole.as_ref().map(|whole| format!(" | {whole}")).unwrap_or_default();
        format!("{}{slash} {}{from}{whole}", letter(file.change), file.path)
    };
    match parse(text) {
        Reading::Files(files) => Ok(files.iter().map(line).collect()),
        Reading::Opaque { count, says_unchanged } => Err((count, says_unchanged)),
    }
}

fn assert_files(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(read(text), Ok(expected), "{text:?}");
    }
}

fn assert_opaque(cases: &[&str]) {
    for text in cases {
        assert_eq!(read(text), Err((None, false)), "{text:?}");
    }
}

#[test]
fn names_alone_and_mixed_formats_are_opaque() {
    assert_opaque(&[
        "src/a.rs\nsrc/b.rs\n",
        "src/a.rs\0src/b.rs\0",
        " create mode 100644 copy.txt\n rename a => b (100%)\n",
        "  50.0% dir/sub/\n",
        ":100644 100644 975fbec c35acb0 M\ta\nM\ta\n",
        " M a\n? b\n",
        " M a\0? b\0",
        "1\t0\ta\n a | 1 +\n",
        " a | 1 +\n 1 file changed, 1 insertion(+)\n\ndiff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
    ]);
}

/// Reading the same text more than once would take minutes here.
#[test]
fn bombs_of_each_format_are_read_in_linear_time() {
    const MANY: usize = 1 << 17;
    let bombs = [
        " M a\n".repeat(MANY) + "x",
        "?? a | 1 +\n".repeat(MANY),
        "R  a -> \"".repeat(MANY),
        "M\0a\0".repeat(MANY) + "x",
        " M a\0".repeat(MANY) + "x",
        "R100\ta\tb\n".repeat(MANY) + "x",
        "0\t0\ta => b\n".repeat(MANY) + "x",
        ["0\t0\t".into(), "{a => b}/".repeat(MANY)].concat(),
        " a | 1 +\n 1 file changed, 1 insertion(+)\n".repeat(MANY) + "x",
        [" ".into(), " | ".repeat(MANY), "1 +".into()].concat(),
        ":100644 100644 975fbec c35acb0 M\ta\n".repeat(MANY) + "x",
        "? a\n".repeat(MANY) + "x",
        "diff --git a/x b/x\n".repeat(MANY) + "x",
        ["diff --git a/x b/x\n--- a/x\n+++ b/x\n".into(), "@@ -1 +1 @@\n a\n".repeat(MANY), "x".into()]
            .concat(),
        ["diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -9999999,9999999 +1 @@\n".into(), "-a\n".repeat(MANY)]
            .concat(),
        ["diff --git ".into(), "\"a/\\303\\274\" ".repeat(MANY)].concat(),
        ["diff --git ".into(), "a/x b/x ".repeat(MANY)].concat(),
        ["diff --git a/x b/x\nGIT binary patch\nliteral 4\n".into(), "LcmZQzWMT#Y01f~L\n".repeat(MANY)]
            .concat(),
        ["On branch main\nUntracked files:\n".into(), "\ta\n".repeat(MANY), "x".into()].concat(),
        ["Changes to be committed:\n\trenamed:    ".into(), "a -> ".repeat(MANY)].concat(),
        ["Changes to be committed:\n\tmodified:   a".into(), " (new commits)".repeat(MANY)].concat(),
        ["## main [".into(), "ahead 1, ".repeat(MANY), "]".into()].concat(),
        ["1 file changed, ".into(), "1 insertion(+), ".repeat(MANY)].concat(),
        "\n \n".repeat(MANY) + "x",
    ];
    for bomb in bombs {
        let _ = parse(&bomb);
    }
}
