//! Paths of tool calls: below the root, or outside of the repository.
//!
//! A path can name a file in several ways: by links, and from several folders. All of these readings count, so no link leads around a
//! path list.

use std::path::{Component, Path, PathBuf};

use crate::{CONFIGURATION_NAMES, host::real_path};

/// The most links that a path leads through. Operating systems follow at most as many.
const MAX_LINKS: usize = 40;

/// The names of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileNames {
    /// Paths from the root. A path in the repository, but not below the root, is absolute.
    pub(crate) inside: Vec<String>,
    /// The absolute path without links, if it is outside of the repository.
    pub(super) outside: Vec<String>,
    /// Absolute paths that only by their text are outside of the repository.
    pub(super) aliases: Vec<String>,
}

/// Finds the names of files, from the folders by which paths are judged.
pub(crate) struct PathResolver<'a> {
    root: &'a Path,
    /// The top folder of the repository, and the root, both without links.
    top: PathBuf,
    real_root: PathBuf,
    /// The folders from which a relative path may count.
    folders: Vec<&'a Path>,
}

impl<'a> PathResolver<'a> {
    /// `folders` are those in which the agent may work.
    pub(crate) fn new(root: &'a Path, folders: &'a [String]) -> Self {
        let folders: Vec<_> = folders.iter().map(Path::new).filter(|folder| folder.is_absolute()).collect();
        let top = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
        Self {
            root,
            top: resolved(top),
            real_root: resolved(root),
            folders: if folders.is_empty() { vec![root] } else { folders },
        }
    }

    /// Returns the names of a file.
    pub(crate) fn names(&self, path: &str) -> FileNames {
        let mut names = FileNames::default();
        let end = end(path);
        let mut add = |list: fn(&mut FileNames) -> &mut Vec<String>, path: &Path| {
            let (list, name) = (list(&mut names), shown(path, end));
            if !list.contains(&name) {
                list.push(name);
            }
        };
        for folder in &self.folders {
            let written = folder.join(path);
            let plain = plain(&written);
            // The system follows a link before `..`. Some tools resolve `..` in the text first.
            let reals = [resolved(&written), resolved(&plain)];
            let below =
                [self.root, &self.real_root].into_iter().find_map(|root| plain.strip_prefix(root).ok());
            match below {
                Some(below) => add(|names| &mut names.inside, below),
                None if !reals.contains(&plain) => add(|names| &mut names.aliases, &plain),
                None => {}
            }
            for real in &reals {
                match real.strip_prefix(&self.real_root) {
                    Ok(below) => add(|names| &mut names.inside, below),
                    Err(_) if real.starts_with(&self.top) => add(|names| &mut names.inside, real),
                    Err(_) => add(|names| &mut names.outside, real),
                }
            }
        }
        names
    }
}

/// Returns true if a path counts from none of these folders: it could name any file.
pub(super) fn lacks_folder(path: &str, folders: &[String]) -> bool {
    Path::new(path).is_relative() && !folders.iter().any(|folder| Path::new(folder).is_absolute())
}

/// Returns the names of a file in all repositories around it, for a policy that may be that of any. Outside of all, a file has its absolute
/// path. Without a folder, a relative path is the name.
pub(super) fn names_in_repositories(path: &str, folders: &[String]) -> Vec<String> {
    if lacks_folder(path, folders) {
        return vec![path.to_owned()];
    }
    let mut folders: Vec<_> = folders.iter().map(Path::new).filter(|folder| folder.is_absolute()).collect();
    if folders.is_empty() {
        folders.push(Path::new(""));
    }
    let mut names = Vec::new();
    let mut add = |name: &Path| {
        let name = shown(name, end(path));
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for folder in folders {
        let written = folder.join(path);
        let plain = plain(&written);
        let [followed, resolved] = [resolved(&written), resolved(&plain)];
        for (file, is_real) in [(&plain, false), (&followed, true), (&resolved, true)] {
            let roots = file.ancestors().filter(|folder| is_root(folder));
            let below: Vec<_> = roots.filter_map(|root| file.strip_prefix(root).ok()).collect();
            if below.is_empty() && is_real {
                add(file);
            }
            below.into_iter().for_each(&mut add);
        }
    }
    names
}

/// Returns true for the top folder of a repository, and for a folder with a configuration.
fn is_root(folder: &Path) -> bool {
    [".git"].iter().chain(&CONFIGURATION_NAMES).any(|name| folder.join(name).exists())
}

/// Returns a path as a policy sees it.
fn shown(path: &Path, end: &str) -> String {
    let shown = path.to_string_lossy();
    let shown = if cfg!(windows) { shown.replace('\\', "/") } else { shown.into_owned() };
    if shown.is_empty() { ".".to_owned() } else { shown + end }
}

/// Returns the end of the name of a file, which shows a folder.
fn end(path: &str) -> &'static str {
    if path.ends_with('/') { "/" } else { "" }
}

/// Resolves `.` and `..` in the text of an absolute path.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Resolves an absolute path as the operating system does. The file and its folders may be absent, and a link may lead to an absent file.
#[must_use]
pub fn resolved(path: &Path) -> PathBuf {
    let mut links = MAX_LINKS;
    real_path(path).unwrap_or_else(|_| followed(path, &mut links))
}

/// Resolves an absolute path, whose file is absent, part by part. It leads through at most `links` more links to absent files.
fn followed(path: &Path, links: &mut usize) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(real.pop()),
            part => {
                real.push(part);
                if let Ok(found) = real_path(&real) {
                    real = found;
                } else if *links > 0
                    && let Ok(target) = real.read_link()
                {
                    *links -= 1;
                    real.pop();
                    real = followed(&real.join(target), links);
                }
            }
        }
    }
    real
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_path_below_the_root_is_relative() {
        let root = Path::new("/absent/app");
        for (folder, path, inside, outside) in [
            (None, "/absent/app/src/a.js", "src/a.js", ""),
            (None, "src/./a.js", "src/a.js", ""),
            (Some("/absent/app/src"), "../b.js", "b.js", ""),
            (Some("/absent"), "app/c.js", "c.js", ""),
            (Some(""), "d.js", "d.js", ""),
            (None, "/absent/app", ".", ""),
            (None, "/absent/app/docs/", "docs/", ""),
            (None, "/absent/app/../other/a.js", "", "/absent/other/a.js"),
            (None, "/absent/application/a.js", "", "/absent/application/a.js"),
            (Some("/nowhere"), "a.js", "", "/nowhere/a.js"),
            (None, "../../../etc/passwd", "", "/etc/passwd"),
        ] {
            let folders: Vec<_> = folder.into_iter().map(str::to_owned).collect();
            let names = PathResolver::new(root, &folders).names(path);
            let found = [&names.inside, &names.outside, &names.aliases].map(|names| names.join(" "));
            assert_eq!(found, [inside, outside, ""], "{folder:?} {path}");
        }
    }

    #[test]
    fn a_relative_path_counts_from_each_folder() {
        let folders = ["/absent/app/docs".to_owned(), "/absent/app".to_owned()];
        let names = PathResolver::new(Path::new("/absent/app"), &folders).names("a.md");
        assert_eq!(names.inside, ["docs/a.md", "a.md"]);
    }

    #[test]
    fn a_file_has_a_name_in_each_repository_around_it() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        for folder in ["app/.git", "app/sub/.git", "app/part", "else"] {
            fs::create_dir_all(real.join(folder)).unwrap();
        }
        fs::write(real.join("app/part/adjudicate.yaml"), "").unwrap();
        symlink(real.join("app/part"), real.join("else/part")).unwrap();
        let at = |name: &str| real.join(name).to_string_lossy().into_owned();
        for (folder, path, expected) in [
            ("app", "src/a".into(), "src/a"),
            // Neither a repository nor a configuration in a folder below takes a file out of the outer one.
            ("app", "sub/a".into(), "a sub/a"),
            ("app/sub", "a".into(), "a sub/a"),
            ("app/part", "../part/a".into(), "a part/a"),
            ("else", at("app/src/a"), "src/a"),
            ("app", at("else/part/a"), "a part/a"),
            ("app", at("else/a"), &at("else/a")),
            ("else", "a".into(), &at("else/a")),
        ] {
            let folders = [at(folder)];
            assert_eq!(names_in_repositories(&path, &folders).join(" "), expected, "{folder} {path}");
        }
        assert_eq!(names_in_repositories("src/a", &[]), ["src/a"]);
        assert_eq!(names_in_repositories(&at("app/src/a"), &[]), ["src/a"]);
    }

    #[test]
    fn links_lead_to_all_names_of_a_file() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        for folder in ["app/.git", "app/db", "app/part", "else"] {
            fs::create_dir_all(real.join(folder)).unwrap();
        }
        for (target, link) in [
            ("app", "alias"),
            ("app/db", "else/db"),
            ("app/db/new.sql", "else/new.sql"),
            ("else", "app/out"),
            ("app/db", "app/link"),
            ("loop/loop/loop", "loop"),
        ] {
            symlink(real.join(target), real.join(link)).unwrap();
        }
        let at = |name: &str| real.join(name).to_string_lossy().into_owned();
        let names = |root: &str, path: &str| PathResolver::new(&real.join(root), &[]).names(path);
        for (root, path, inside, outside, aliases) in [
            ("alias", at("app/db/1.sql"), "db/1.sql", String::new(), String::new()),
            ("app", at("alias/db/1.sql"), "db/1.sql", String::new(), at("alias/db/1.sql")),
            ("app", at("else/db/1.sql"), "db/1.sql", String::new(), at("else/db/1.sql")),
            // The system follows the link before `..`. Some tools resolve `..` in the text first.
            ("app", at("else/db/../part/a"), "part/a", at("else/part/a"), String::new()),
            ("app", "out/../link/1.sql".into(), "link/1.sql db/1.sql", at("link/1.sql"), String::new()),
            ("app", at("else/new.sql"), "db/new.sql", String::new(), at("else/new.sql")),
            ("app", "out/a".into(), "out/a", at("else/a"), String::new()),
            ("app", at("else/a"), "", at("else/a"), String::new()),
        ] {
            let names = names(root, &path);
            let found = [&names.inside, &names.outside, &names.aliases].map(|names| names.join(" "));
            assert_eq!(found, [inside.to_owned(), outside, aliases], "{root} {path}");
        }
        // A sibling folder of the root is in the repository.
        assert_eq!(names("app/part", &at("app/db/1.sql")).inside, [at("app/db/1.sql")]);
        // No link is followed without end.
        assert!(names("app", &at("loop/a")).inside.is_empty());
    }
}
