//! Every format, as git 2.47 prints it.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::*;

/// The files of a text in a form of their own: `A path`, `R path < from`, `? path` without a change, a `/` behind the
/// letter of a directory, `| whole`; or what is known of an opaque text.
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
fn short_status() {
    assert_files(&[
        (
            " M \" lead\"\n M \"a -> b\"\n M a.txt\n T link\n D gone\n",
            &["M  lead", "M a -> b", "M a.txt", "M link", "D gone"],
        ),
        ("R  dir/mv2 -> dir/mv3\nR  \" \" -> \"  \"\n", &["R dir/mv3 < dir/mv2", "R    <  "]),
        ("C  cp -> copy\n", &["A copy"]),
        ("?? db/\n?? \"n\\nl/\"\n", &["A/ db/", "A/ n\nl/"]),
        ("UU f\nDU g\nDD h\nAA i\n", &["M f", "M g", "D h", "A i"]),
        // A submodule with changes or new files inside.
        (" m sm\n ? sm2\nM  sm3\n", &["M/ sm", "M/ sm2", "M sm3"]),
        ("## main...origin/main [ahead 1, behind 2]\n M a\n", &["M a"]),
        ("## main\n", &[]),
        ("## main...origin/main [behind 2]\n", &[]),
        ("## main...origin/main [gone]\n", &[]),
        ("## HEAD (no branch)\n", &[]),
        ("## No commits yet on main\n?? a\n", &["A a"]),
        // Older versions of git leave spaces in new names.
        ("?? a b\n", &["A a b"]),
    ]);
    assert_opaque(&[
        "!! ignored\n",
        " M  lead",
        "M       deploy/tabs/expanded",
        "R   a -> b",
        "R  a ->  b",
        "R  a -> b -> c",
        "R  a -> -> b",
        "## main...origin/main [ahead 1]\n",
        "## main...origin/main [different]\n",
        "## What changed today\n",
        "## main\nprose",
        "?? \n",
    ]);
}

#[test]
fn short_status_terminated() {
    assert_files(&[
        (
            "R    \0 \0M   lead\0M  a -> b\0R  new\0old\0?? db/\0",
            &["R    <  ", "M  lead", "M a -> b", "R new < old", "A/ db/"],
        ),
        ("## main\0 M new\nline\0", &["M new\nline"]),
        ("## main\0", &[]),
        ("C  copy\0source\0", &["A copy"]),
    ]);
    assert_opaque(&[" M a\0b", "R  new\0", " M a\0\n", "\0", "M a\0", "## main [ahead 1]\0"]);
    assert_opaque(&[" M a\0 M b"]);
}

#[test]
fn porcelain_version_2() {
    const IDS: &str = "0ff3bbb9c8bba2291654cd64067fa417ff54c508 c35acb079a92cfe8ca592e1ba56bb132eeac061c";
    let line = |codes: &str, modes: &str, rest: &str| format!("{codes} {modes} {IDS} {rest}\n");
    let text = [
        "# branch.oid 9500b39\n# branch.head main\n# branch.ab +1 -0\n# stash 2\n".into(),
        line("1 M. N...", "100644 100644 100644", " lead"),
        line("1 .M N...", "100644 100644 100644", "a -> b"),
        line("1 D. N...", "100644 000000 000000", "\"\\303\\274ml\""),
        line("2 R. N...", "100644 100644 100644", "R100 new\told name"),
        line("2 C. N...", "100644 100644 100644", "C75 copy\tsource"),
        line("1 .M S.M.", "160000 160000 160000", "sm"),
        line("1 T. N...", "160000 100644 100644", "was-sm"),
        "? db/\n? un tracked\n".into(),
    ]
    .concat();
    assert_files(&[(
        &text,
        &[
            "M  lead",
            "M a -> b",
            "D üml",
            "R new < old name",
            "A copy",
            "M/ sm",
            "M/ was-sm",
            "A/ db/",
            "A un tracked",
        ],
    )]);
    let conflict = "u UU N... 100644 100644 100644 100644 1191247 2f1b638 2b2f2e1 f\n";
    assert_files(&[(conflict, &["M f"])]);
    assert_files(&[("# branch.oid 9500b39\n# branch.head main\n# branch.ab +0 -3\n", &[])]);
    let terminated: [String; 4] = [
        "# branch.oid 9500b39".into(),
        line("1 M. N...", "100644 100644 100644", "new\nline").trim_end().into(),
        line("2 R. N...", "100644 100644 100644", "R100 new").trim_end().into(),
        "old\0? db/\0".into(),
    ];
    assert_files(&[(&terminated.join("\0"), &["M new\nline", "R new < old", "A/ db/"])]);
    assert_opaque(&[
        "! ignored\n",
        "# branch.ab +1 -0\n",
        "# branch.ab +? -?\n",
        "# A heading\n",
        "# branch.head main\nprose",
        &line("1 M. N...", "100644 100644", "a"),
        &line("1 M. X...", "100644 100644 100644", "a"),
        &line("1 .. N...", "100644 100644 100644", "a"),
        &line("2 R. N...", "100644 100644 100644", "R100 new"),
        &line("2 R. N...", "100644 100644 100644", "new\told"),
        "1 M. N... 100644 100644 100644 0ff3bbb\n",
        "? \n",
    ]);
}

#[test]
fn name_status() {
    assert_files(&[
        (
            "M\t lead\nA\ta => b\nD\tgone\nT\tlink\nU\tconflict\n",
            &["M  lead", "A a => b", "D gone", "M link", "M conflict"],
        ),
        ("R087\told\tnew\nC100\tcp\tcopy\nM095\tbroken\n", &["R new < old", "A copy", "M broken"]),
    ]);
    assert_files(&[(
        "M\0 lead\0R100\0old\0new\nline\0C100\0cp\0copy\0D\0M\0",
        &["M  lead", "R new\nline < old", "A copy", "D M"],
    )]);
    assert_opaque(&[
        "R100\told",
        "M\ta\tb",
        "M\t ",
        "| M\ta",
        "M\0a",
        "M\0\0",
        "R100\0old\0",
        "m\0a\0",
        "M\0a\0\0",
    ]);
}

#[test]
fn numstat() {
    assert_files(&[
        (
            "3\t1\t lead\n-\t-\tbin.dat\n0\t0\tdir/{sub/mv2 => mv3}\n",
            &["?  lead", "? bin.dat", "R dir/mv3 < dir/sub/mv2 | dir/{sub/mv2 => mv3}"],
        ),
        ("1\t0\ta => b\n", &["R b < a | a => b"]),
        ("1\t0\ta\x000\t0\t\0old\0new => x\0", &["? a", "R new => x < old"]),
    ]);
    assert_opaque(&[
        "1\t0\t  =>   ",
        "1\t0\tx => ",
        "1\t0\ta => b => c",
        "1 0 a",
        "1\t0\t\0old\0",
        "1\t0\ta\0\0",
    ]);
}

#[test]
fn raw() {
    assert_files(&[
        (
            ":100644 100644 975fbec c35acb0 M\t lead\n:000000 100644 0000000 3652750 A\tcopy\n\
             :100644 100644 1c99002 1c99002 R100\told\tnew\n:160000 160000 5968516 1997f58 M\tsm\n\
             :120000 100644 8d14cbf f73f309 T\tlink\n:040000 040000 8d14cbf... f73f309... M\ttree\n\
             :100644 000000 2f1b638 0000000 U\tf\n",
            &["M  lead", "A copy", "R new < old", "M/ sm", "M link", "M/ tree", "M f"],
        ),
        (":160000 000000 5968516 0000000 D\tsm\n", &["D/ sm"]),
        (
            ":100644 100644 1c99002 1c99002 C075\0src\0copy\0:160000 160000 5968516 1997f58 M\0sm\0",
            &["A copy", "M/ sm"],
        ),
    ]);
    assert_opaque(&[
        "::100644 100644 100644 975fbec c35acb0 c35acb0 MM\tf\n",
        ":100644 100644 975fbec c35acb0 M a\n",
        ":1006 100644 975fbec c35acb0 M\ta\n",
        ":100644 100644 xyzxyz c35acb0 M\ta\n",
        ":100644 100644 1c99002 1c99002 R100\0old\0",
    ]);
}

#[test]
fn stat() {
    assert_files(&[
        (
            "  lead       |   1 +\n bin.dat     | Bin 3 -> 4 bytes\n a b         |   0\n a => b      |   1 +\n \
             d/{a => bc} |   0\n \"qu\\\"ote\"  |   1 +\n 6 files changed, 3 insertions(+)\n",
            &["?  lead", "? bin.dat", "? a b", "R b < a | a => b", "R d/bc < d/a | d/{a => bc}", "? qu\"ote"],
        ),
        // Git leaves conflicts out of the totals.
        (" f | Unmerged\n 0 files changed\n", &["M f"]),
        (" f | Unmerged\n f | 4 ++++\n 1 file changed, 4 insertions(+)\n", &["M f", "? f"]),
        // One for each commit.
        (
            " a | 1 +\n 1 file changed, 1 insertion(+)\n\n b | 1 -\n 1 file changed, 1 deletion(-)\n",
            &["? a", "? b"],
        ),
        ("a  | 1 +\n bc | 2 +-\n 2 files changed, 2 insertions(+), 1 deletion(-)", &["? a", "? bc"]),
        (" a | 2 +-", &["? a"]),
        (" a | 2 +-\n 1 file changed", &["? a"]),
    ]);
    assert_opaque(&[
        " Dockerfile (new) | 3 +++\n 1 file changed, 3 insertions(+)",
        " gone (gone) | 1 -\n 1 file changed, 1 deletion(-)",
        " exe.sh (mode +x) | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)",
        " link (new +l) | 1 +\n 1 file changed, 1 insertion(+)",
        " a | 2 +-\n 900 files changed, 1 insertion(+), 1 deletion(-)",
        " a | 2 +-\n 1 file changed, 900 insertions(+)",
        " a | 2 +-\n 1 file changed, 1 deletion(-), 1 insertion(+)",
        " a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n b | 1 +",
        " a | 2 +-\n 0 files changed",
        // Names of white space.
        "   =>  | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)",
        "  => x | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)",
        " x =>  | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)",
        " trail  | 1 +\n 1 file changed, 1 insertion(+)",
        // `--graph`, and other indented text.
        "|  a | 1 +\n|  1 file changed, 1 insertion(+)",
        "|  a | 1 +",
        "* a | 1 +",
        "   a | 1 +\n   1 file changed, 1 insertion(+)",
        "    a | 1 +",
        " .../a | 1 +\n 1 file changed, 1 insertion(+)",
        // A status of a file, or a file.
        "?? deploy/x | 1 +",
        " M a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n M b",
    ]);
}

#[test]
fn totals_alone() {
    for (text, expected) in [
        (" 27 files changed, 64 insertions(+), 3 deletions(-)\n", (Some(27), false)),
        (" 1 file changed, 1 deletion(-)", (Some(1), false)),
        ("3 files changed", (Some(3), false)),
        (" 0 files changed\n", (None, true)),
        (" 0 files changed, 0 insertions(+), 0 deletions(-)\n", (None, true)),
        (" 0 files changed, 1 insertion(+)\n", (None, false)),
        (" 99999999999999999999 files changed\n", (None, false)),
        (" 1 file changed, 1 insertion(+)\n 1 file changed, 1 insertion(+)\n", (None, false)),
        (" 3 files changed, many insertions(+)", (None, false)),
    ] {
        assert_eq!(read(text), Err(expected), "{text:?}");
    }
}

#[test]
fn patches() {
    let modified = |old: &str, new: &str, name: &str| {
        format!(
            "diff --git {old}{name} {new}{name}\nindex 975fbec..c35acb0 100644\n--- {old}{name}\n+++ {new}{name}\n"
        )
    };
    let hunk = "@@ -1,2 +1,3 @@ fn a() {\n a\n--- a/x\n+++ b/x\n+diff --git a/x b/x\n";
    let prefixes = [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];
    for (old, new) in prefixes {
        assert_files(&[(&(modified(old, new, "src/a.rs") + hunk), &["M src/a.rs"])]);
    }
    for (old, new) in
        [("", ""), ("a/", "a/"), ("b/", "a/"), ("w/", "i/"), ("x/", "y/"), ("1/", "2/"), ("i/", "i/")]
    {
        assert_opaque(&[&(modified(old, new, "src/a.rs") + hunk)]);
    }
    let two = [modified("a/", "b/", "x"), hunk.into(), modified("a/", "b/", "y"), hunk.into()].concat();
    assert_files(&[
        (&two, &["M x", "M y"]),
        (
            "diff --git a/ lead b/ lead\nindex 975fbec..c35acb0 100644\n--- a/ lead\t\n+++ b/ lead\t\n@@ -1 +1,2 @@\n y\n+a\n",
            &["M  lead"],
        ),
        (
            "diff --git \"a/new\\nline\" \"b/new\\nline\"\nindex 8ba3a16..f52901c 100644\n--- \"a/new\\nline\"\n\
             +++ \"b/new\\nline\"\n@@ -1 +1,2 @@\n n\n+a\n\\ No newline at end of file\n",
            &["M new\nline"],
        ),
        (
            "diff --git a/dir/a -> b b/dir/c d\nsimilarity index 90%\nrename from dir/a -> b\nrename to dir/c d\n\
             index 975fbec..c35acb0\n--- a/dir/a -> b\t\n+++ b/dir/c d\t\n@@ -2 +1,0 @@\n-x\n",
            &["R dir/c d < dir/a -> b"],
        ),
        (
            "diff --git \"a/\\303\\274\" b/u\nsimilarity index 100%\nrename from \"\\303\\274\"\nrename to u\n\
             diff --git a/cp b/copy\nsimilarity index 100%\ncopy from cp\ncopy to copy\n",
            &["R u < ü", "A copy"],
        ),
        (
            "diff --git a/exe.sh b/exe.sh\nold mode 100644\nnew mode 100755\n\
             diff --git a/newempty b/newempty\nnew file mode 100644\nindex 0000000..e69de29\n\
             diff --git a/gone b/gone\ndeleted file mode 100644\nindex 01058d8..0000000\n--- a/gone\n+++ /dev/null\n\
             @@ -1 +0,0 @@\n-g\n",
            &["M exe.sh", "A newempty", "D gone"],
        ),
        (
            "diff --git a/link b/link\ndeleted file mode 120000\nindex 8d14cbf..0000000\n--- a/link\n+++ /dev/null\n\
             @@ -1 +0,0 @@\n-a.txt\n\\ No newline at end of file\ndiff --git a/link b/link\nnew file mode 100644\n\
             index 0000000..f73f309\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+file\n",
            &["D link", "A link"],
        ),
        (
            "diff --git a/sm b/sm\nindex 5968516..1997f58 160000\n--- a/sm\n+++ b/sm\n@@ -1 +1 @@\n\
             -Subproject commit 5968\n+Subproject commit 1997\n",
            &["M/ sm"],
        ),
        ("diff --git a/sm b/sm\nnew file mode 160000\nindex 0000000..1997f58\n", &["A/ sm"]),
        (
            "diff --git a/bin b/bin\nindex 8352675..eaf36c1 100644\nBinary files a/bin and b/bin differ\n",
            &["M bin"],
        ),
        (
            "diff --git a/bin b/bin\nindex 8352675..eaf36c1 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\n\
             literal 3\nKcmZQzWC8#H2LJ>B\n\ndiff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
            &["M bin", "M x"],
        ),
        // Blank lines between files, and empty lines of context without their space.
        (
            "\ndiff --git a/x b/x\nindex 8352675..eaf36c1 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n\n+a\n b\n\n\n",
            &["M x"],
        ),
        ("diff --git a/a b/a b/a b/a\nold mode 100644\nnew mode 100755\n", &["M a b/a"]),
    ]);
    assert_opaque(&[
        // Cut.
        &(modified("a/", "b/", "x") + "@@ -1,2 +1,3 @@\n a\n"),
        &modified("a/", "b/", "x"),
        &(modified("a/", "b/", "x") + hunk + "+one more\n"),
        "diff --git a/x b/x\nindex 8352675..eaf36c1 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n",
        "diff --git a/x b/x\nindex 8352675..eaf36c1 100644\n--- a/x\n",
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\n",
        // Names that disagree.
        "diff --git a/x b/y\nindex 8352675..eaf36c1 100644\n",
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to z\n",
        "diff --git a/x b/x\nindex 8352675..eaf36c1 100644\n--- a/x\n+++ b/y\n@@ -1 +1,2 @@\n n\n+a\n",
        "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..eaf36c1\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
        "diff --git i/x w/y\nsimilarity index 100%\nrename from i/x\nrename to w/y\n",
        // Other texts with patches.
        "diff --cc f\nindex 2f1b638,2b2f2e1..0000000\n--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,6 @@@\n  1\n",
        "* Unmerged path f\n",
        "Submodule sm 5968516..1997f58:\n  > two\n",
        "commit 5968516\n\ndiff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n n\n+a\n",
        "diff --git a/x b/x\nold mode 100644\n",
        "diff --git a/x b/x\nindex eaf36c1 100644\n",
        "diff --git a/x b/x\nsomething else\n",
    ]);
}

#[test]
fn long_status() {
    assert_files(&[
        (
            "On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\n  (use \"git push\" to publish your local \
             commits)\n\nChanges to be committed:\n  (use \"git restore --staged <file>...\" to unstage)\n\
             \trenamed:    dir/mv2 -> dir/mv3\n\tcopied:     cp -> copy\n\tnew file:    lead\n\n\
             Changes not staged for commit:\n  (use \"git add/rm <file>...\" to update what will be committed)\n\
             \tmodified:   a -> b\n\tdeleted:    gone\n\ttypechange: link\n\tmodified:   sm (new commits, modified content)\n\
             \tmodified:   \"n\\tl\" (untracked content)\n\nUntracked files:\n  (use \"git add <file>...\" to include in what will be \
             committed)\n\tcopy.txt\n\tdb/\n\t\"a b\\303\\274\"\n\nno changes added to commit (use \"git add\" and/or \"git commit -a\")\n",
            &[
                "R dir/mv3 < dir/mv2",
                "A copy",
                "A  lead",
                "M a -> b",
                "D gone",
                "M link",
                "M/ sm | sm (new commits, modified content)",
                "M/ n\tl",
                "A copy.txt",
                "A/ db/",
                "A a bü",
            ],
        ),
        (
            "On branch main\nYou have unmerged paths.\n  (fix conflicts and run \"git commit\")\n\nUnmerged paths:\n\
             \tboth modified:   f\n\tdeleted by them: g\n\tboth deleted:    h\n\tboth added:      i\n\n\
             no changes added to commit\n",
            &["M f", "M g", "D h", "A i"],
        ),
        (
            "interactive rebase in progress; onto 9500b39\nLast command done (1 command done):\n   edit 9500b39 a subject\n\
             Next command to do (1 remaining command):\n   pick 1234567 another\n  (use \"git rebase --edit-todo\" to view and \
             edit)\nYou are currently editing a commit while rebasing branch 'x' on '9500b39'.\n\nChanges not staged for commit:\n\
             \tmodified:   a\n",
            &["M a"],
        ),
        ("nothing to commit, working tree clean", &[]),
        ("On branch main\nnothing to commit, working tree clean\n", &[]),
        ("HEAD detached at 9500b39\nnothing to commit, working tree clean\n", &[]),
        (
            "On branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean\n",
            &[],
        ),
        (
            "On branch main\nYour branch is behind 'origin/main' by 1 commit, and can be fast-forwarded.\n  (use \"git pull\" \
             to update your local branch)\n\nnothing to commit, working tree clean\n",
            &[],
        ),
    ]);
    assert_opaque(&[
        "On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\n\nnothing to commit, working tree clean\n",
        "On branch main\nYour branch and 'origin/main' have diverged,\nand have 1 and 2 different commits each, \
         respectively.\n\nnothing to commit, working tree clean\n",
        "On branch main\nAll conflicts fixed but you are still merging.\n\nnothing to commit, working tree clean\n",
        "On branch main\nYou are currently cherry-picking commit 9500b39.\n\nnothing to commit, working tree clean\n",
        "On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\n\nnothing to commit (use -u to show untracked files)\n",
        "no changes",
        "no changes added to commit",
        "On branch main\n",
        "nothing to commit, working tree clean, I promise",
        "On branch main\n\tmodified:   a\n",
        "On branch main\nChanges to be committed:\n\tmodified: a\n",
        "On branch main\nChanges to be committed:\n\trenamed:    a\n",
        "On branch main\nChanges to be committed:\n\trenamed:    a -> b -> c\n",
        "On branch main\nChanges to be committed:\n\tmodified:   a\nnothing to commit, working tree clean\n",
        "On branch main\nChanges to be committed:\n\tmodified:   a\n\nUntracked files not listed (use -u option to show untracked files)\n",
        "On branch main\nIgnored files:\n\ta\n",
        "On branch main\nUntracked files:\n\tb   c   d\n",
        "Auf Branch main\nnichts zu committen, Arbeitsverzeichnis unverändert\n",
    ]);
    for text in [
        "nothing to commit",
        "nothing to commit (use -u to show untracked files)",
        "On branch main\nnothing to commit (use -u to show untracked files)\n",
        "On branch main\n\nNo commits yet\n\nnothing to commit (create/copy files and use \"git add\" to track)\n",
    ] {
        assert_eq!(read(text), Err((None, true)), "{text:?}");
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

/// Reading more than once over the same text would take minutes here.
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
