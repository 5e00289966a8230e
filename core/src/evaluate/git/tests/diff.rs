//! Outputs of `git diff` with a file on each line.

use super::*;

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
        // Totals for each commit.
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
        // Ambiguous between a status and a stat line.
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
