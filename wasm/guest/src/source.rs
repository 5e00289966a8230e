//! The source of this crate. `adjudicate new` writes it into projects, so that they build without a registry.

/// Each file below `src/`: its path, with `/` between folders, and its text.
///
/// ```
/// let (path, text) = adjudicate_guest::SOURCE.iter().find(|(path, _)| *path == "lib.rs").ok_or("no such file")?;
/// assert!(text.contains("#![no_std]"), "{path}");
/// # Ok::<(), &str>(())
/// ```
pub const SOURCE: &[(&str, &str)] = &[
    ("answer.rs", include_str!("answer.rs")),
    ("build.rs", include_str!("build.rs")),
    ("change.rs", include_str!("change.rs")),
    ("check.rs", include_str!("check.rs")),
    ("envelope.rs", include_str!("envelope.rs")),
    ("error.rs", include_str!("error.rs")),
    ("evidence.rs", include_str!("evidence.rs")),
    ("export.rs", include_str!("export.rs")),
    ("finding.rs", include_str!("finding.rs")),
    ("lib.rs", include_str!("lib.rs")),
    ("manifest.rs", include_str!("manifest.rs")),
    ("module.rs", include_str!("module.rs")),
    ("number.rs", include_str!("number.rs")),
    ("order.rs", include_str!("order.rs")),
    ("policy.rs", include_str!("policy.rs")),
    ("read.rs", include_str!("read.rs")),
    ("roles.rs", include_str!("roles.rs")),
    ("route.rs", include_str!("route.rs")),
    ("rules.rs", include_str!("rules.rs")),
    ("source.rs", include_str!("source.rs")),
    ("testing/answer.rs", include_str!("testing/answer.rs")),
    ("testing/mod.rs", include_str!("testing/mod.rs")),
    ("testing/sample.rs", include_str!("testing/sample.rs")),
    ("text.rs", include_str!("text.rs")),
    ("value.rs", include_str!("value.rs")),
    ("view.rs", include_str!("view.rs")),
    ("views.rs", include_str!("views.rs")),
    ("word.rs", include_str!("word.rs")),
    ("words.rs", include_str!("words.rs")),
];

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path, string::String};

    use super::SOURCE;

    #[test]
    fn every_file_is_there() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (mut files, mut folders) = (BTreeSet::new(), std::vec![source.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(String::from(path.strip_prefix(&source).unwrap().to_str().unwrap()));
                }
            }
        }
        assert_eq!(SOURCE.iter().map(|(path, _)| String::from(*path)).collect::<BTreeSet<_>>(), files);
    }
}
