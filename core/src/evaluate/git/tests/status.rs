//! Outputs of `git status`.

use super::*;

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
        // `svn status`
        "?       notes.txt\n?       src/new.rs\n",
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
