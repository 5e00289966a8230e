//! Random commits and changes. The same seed gives the same choices (SplitMix64).

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use super::git::Repository;

/// Names of files. No folder among them is a file elsewhere.
const NAMES: [&str; 41] = [
    "a.txt",
    "b",
    "a",
    "README.md",
    "deploy/production/app.yml",
    "deploy/x",
    ".github/workflows/ci.yml",
    "keys/server.pem",
    "db/migrations/1.sql",
    "docs/My Guide.md",
    "docs/a.md",
    "src/a/c.rs",
    "src/b/c.rs",
    "src/{id}.ts",
    " lead",
    "trail ",
    "dir/ ",
    "qu\"ote",
    "tab\tx",
    "new\nline",
    "back\\slash",
    "üml.txt",
    "日本語",
    "a -> b",
    "a => b",
    "dir/a => b/f",
    "deploy/{x => y}/z",
    "x =>",
    "{x/f}",
    "M x",
    "?? y",
    "A  z",
    "x | 2 +",
    "Dockerfile (new)",
    "sm (new commits)",
    "# branch.head q",
    "1 M. r",
    "diff --git s",
    "bell\u{7}",
    "## t",
    "|  graph",
];
/// The number of committed files; the others are added later.
const COMMITTED: usize = 26;
/// The number of committed files that stay unchanged.
const UNCHANGED: usize = 4;

/// Content that no two files share, long enough to be recognised after a change.
fn content(name: &str) -> Vec<u8> {
    (0..8).flat_map(|line| format!("line {line} of {name:?}\n").into_bytes()).collect()
}

/// The first commit: files and a submodule.
pub(super) fn commit(repository: &Repository, random: &mut Random) {
    let mut names = NAMES.to_vec();
    for _ in 0..COMMITTED {
        let name = random.take(&mut names);
        repository.write(name, &content(name));
    }
    nested(repository, "sm");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "--quiet", "--message=first"]);
}

/// A repository inside of the repository, with a commit of its own. Without it, a patch shows no mode of an identical
/// copy.
fn nested(repository: &Repository, name: &str) {
    repository.write(&format!("{name}/f"), name.as_bytes());
    repository.git(&["-C", name, "init", "--quiet", "--initial-branch=main"]);
    repository.git(&["-C", name, "add", "-A"]);
    repository.git(&["-C", name, "commit", "--quiet", "--message=first"]);
}

/// Changes most of the committed files, in the worktree or in the index, and adds the rest.
pub(super) fn change(repository: &Repository, random: &mut Random) {
    let committed = repository.git(&["ls-files", "-z"]);
    let mut committed: Vec<&str> = committed.split_terminator('\0').filter(|name| *name != "sm").collect();
    let mut new: Vec<&str> = NAMES.into_iter().filter(|name| !committed.contains(name)).collect();
    while committed.len() > UNCHANGED {
        let name = random.take(&mut committed);
        match random.below(9) {
            0 => fs::remove_file(repository.path(name)).expect("a file is deleted"),
            1 if !new.is_empty() => {
                let to = random.take(&mut new);
                fs::create_dir_all(repository.path(to).parent().expect("a folder"))
                    .expect("folders are made");
                repository.git(&["mv", "--", name, to]);
            }
            2 if !new.is_empty() => {
                let copy = random.take(&mut new);
                repository.write(copy, &content(name));
            }
            3 => {
                let runs = fs::Permissions::from_mode(0o755);
                fs::set_permissions(repository.path(name), runs).expect("a mode is set");
            }
            4 => {
                fs::remove_file(repository.path(name)).expect("a file is deleted");
                symlink("a.txt", repository.path(name)).expect("a link is made");
            }
            5 => repository.write(name, b"\0\x01\x02 binary"),
            6 => repository.write(name, b""),
            // Lines that look like headers of a patch.
            7 => repository
                .write(name, &[&content(name)[..], b"-- a/x\n++ b/x\n\ndiff --git a/x b/x\n"].concat()),
            _ => repository.write(name, &[&content(name)[..], b"more\n\n"].concat()),
        }
    }
    for name in new {
        match random.below(3) {
            0 => repository.write(name, b""),
            1 => repository.write(name, &content(name)),
            _ => {}
        }
    }
    match random.below(5) {
        0 => repository.write("sm/f", b"2\n"),
        1 => repository.write("sm/new", b"2\n"),
        2 => {
            repository.write("sm/f", b"2\n");
            repository.git(&["-C", "sm", "commit", "--quiet", "--all", "--message=second"]);
        }
        3 => fs::remove_dir_all(repository.path("sm")).expect("a submodule is deleted"),
        _ => {}
    }
    if random.below(2) == 0 {
        nested(repository, "nested");
    }
    repository.write("tree/one/two/three.txt", b"3\n");
}

/// A merge that fails, with files that both sides changed, deleted and added.
pub(super) fn conflict(repository: &Repository) {
    for (branch, text, deleted, renamed) in
        [("other", "other\n", "both 1", "both 2"), ("main", "main\n", "both 2", "x 3")]
    {
        if branch == "other" {
            for name in ["both", "both 1", "both 2", "deploy/both"] {
                repository.write(name, &content(name));
            }
            repository.git(&["add", "-A"]);
            repository.git(&["commit", "--quiet", "--message=second"]);
            repository.git(&["checkout", "--quiet", "-b", "other"]);
        } else {
            repository.git(&["checkout", "--quiet", "main"]);
        }
        for name in ["both", "both 1", "both 2", "deploy/both", "added"] {
            repository.write(name, text.as_bytes());
        }
        fs::remove_file(repository.path(deleted)).expect("a file is deleted");
        repository.write(&format!("of {branch}"), &content(renamed));
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "--quiet", "--message=third"]);
    }
    assert!(!repository.try_git(&["merge", "other"]), "the merge fails");
}

pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).expect("a bound fits");
        usize::try_from((mixed ^ (mixed >> 31)) % bound).expect("less than the bound")
    }

    /// Takes an item out of a list.
    pub(super) fn take<T>(&mut self, items: &mut Vec<T>) -> T {
        let place = self.below(items.len());
        items.swap_remove(place)
    }
}
