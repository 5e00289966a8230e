//! Files that git converts before it compares them. A conversion can hide a change.

use super::command::Git;

/// Leaves out files without an attribute of a conversion.
const WITHOUT: &str = ":(exclude,attr:!filter !ident !working-tree-encoding)";

/// The drivers of filters, and extensions that run within git-lfs.
const DRIVERS: &str = r"^(filter\..*\.(clean|process)|lfs\.extension\..*\.clean)$";

/// The commands of git-lfs. They replace a content by its digest, so they hide no change.
const LFS: [&[u8]; 3] = [b"git-lfs clean -- %f", b"git-lfs filter-process", b"git-lfs filter-process --skip"];

/// Returns the files of an index that git converts by a filter other than git-lfs, by `ident` or by `working-tree-encoding`. The
/// attributes of line ends hide no more than line ends.
pub(super) async fn converted(git: &Git<'_>) -> Result<Vec<Vec<u8>>, String> {
    let names = git.call(&["ls-files", "-z", "--", ":(top)", WITHOUT]).await?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let drivers = git.call(&["config", "-z", "--get-regexp", DRIVERS]).await?;
    let drivers = drivers_but_lfs(&drivers);
    let check = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
    let answers = git.call_with(&check, names).await?;
    let fields: Vec<_> = answers.split(|byte| *byte == 0).collect();
    let is_converted = |attribute: &[u8], value: &[u8]| match attribute {
        b"filter" => drivers.contains(&value),
        b"ident" => value == b"set",
        _ => !matches!(value, b"unspecified" | b"unset"),
    };
    let answers = fields.as_chunks().0.iter();
    let found = answers.filter(|[_, attribute, value]: &&[&[u8]; 3]| is_converted(attribute, value));
    let mut names: Vec<_> = found.map(|[name, ..]| name.to_vec()).collect();
    names.dedup();
    Ok(names)
}

/// Returns the names of the drivers from `filter.NAME.clean<LF>COMMAND<NUL>` for each.
fn drivers_but_lfs(settings: &[u8]) -> Vec<&[u8]> {
    let has_extensions = settings.starts_with(b"lfs.extension.")
        || settings.windows(15).any(|text| text == b"\0lfs.extension.");
    let settings = settings.split(|byte| *byte == 0);
    let others = settings.filter_map(|setting| {
        let end = setting.iter().position(|byte| *byte == b'\n').unwrap_or(setting.len());
        let (key, command) = setting.split_at(end);
        let name = key.strip_prefix(b"filter.")?;
        let name = name.strip_suffix(b".clean").or_else(|| name.strip_suffix(b".process"))?;
        let is_lfs = LFS.contains(&command.get(1..).unwrap_or_default()) && !has_extensions;
        (!is_lfs).then_some(name)
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use super::drivers_but_lfs;

    #[test]
    fn only_the_commands_of_git_lfs_hide_nothing() {
        let lfs = "filter.lfs.clean\ngit-lfs clean -- %f\0filter.lfs.process\ngit-lfs filter-process\0";
        for (settings, expected) in [
            ("", &[][..]),
            (lfs, &[]),
            ("filter.A b.c.process\ncat\0", &["A b.c"]),
            ("filter.a.clean\0", &["a"]),
            ("filter.lfs.process\ngit-lfs filter-process --skip; cat\0", &["lfs"]),
            (&format!("{lfs}lfs.extension.case.clean\ntr A a\0"), &["lfs", "lfs"]),
            (&format!("lfs.extension.case.clean\ntr A a\0{lfs}"), &["lfs", "lfs"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|name: &&str| name.as_bytes()).collect();
            assert_eq!(drivers_but_lfs(settings.as_bytes()), expected, "{settings:?}");
        }
    }
}
