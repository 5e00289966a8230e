//! Patches.

use super::*;

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
