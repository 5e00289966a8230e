//! The changed files that the policy does not allow.

use alloc::{collections::BTreeMap, vec::Vec};

use adjudicate_lang::{
    Error, Steps, order,
    paths::{Glob, Path, PathVerdict},
};

use super::{
    diff::{Changed, ChangedFile},
    matches::{Skeletons, verdict},
};
use crate::{
    documents::{evidence::Change, policy::Outside},
    policy::Policy,
};

/// The changed files outside of the allowed paths, by index, each path once.
#[derive(Clone, Debug, Default)]
pub(super) struct Disallowed {
    /// The files that no pattern matches.
    pub refused: Vec<usize>,
    /// The files of which that is unknown.
    pub unknown: Vec<usize>,
}

impl Disallowed {
    /// Compares the changed files with the allowed paths of a policy, if it lists them.
    pub(super) fn new(policy: &Policy, changed: &Changed<'_>, steps: &mut Steps) -> Result<Self, Error> {
        let Some(allowed) = policy.allowed_paths() else { return Ok(Self::default()) };
        let files = changed.files();
        let mut skeletons = Skeletons::new(allowed);
        let mut verdicts = Vec::with_capacity(files.len());
        for file in files {
            let path = Path::read(&file.path, file.is_directory);
            verdicts.push(match policy.outside() {
                Outside::Ask if file.outside.is_some() => PathVerdict::Unknown,
                // Another rule refuses it.
                Outside::Refuse if file.outside.is_some() => PathVerdict::Matched,
                _ if file.is_directory => verdict(allowed, &path, false, steps)?.0,
                _ if any_matches(allowed, &path, steps)? => PathVerdict::Matched,
                _ if skeletons.pattern(allowed, file, steps)?.is_some() => PathVerdict::Unknown,
                _ => PathVerdict::Clean,
            });
        }
        read_in_both_ways(changed, &mut verdicts);
        let of = |wanted: PathVerdict| {
            let found = verdicts.iter().enumerate().filter(|(_, verdict)| **verdict == wanted);
            let path = |index: &usize| files.get(*index).map(|file| (&file.path, &file.outside));
            let indices = found.map(|(index, _)| index).collect();
            order::without_repeats(indices, |left, right| path(left).cmp(&path(right)))
        };
        Ok(Self { refused: of(PathVerdict::Clean), unknown: of(PathVerdict::Unknown) })
    }
}

/// Returns true if a pattern matches a file.
fn any_matches(allowed: &[Glob], path: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
    for glob in allowed {
        if glob.matches(path, steps)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A name that may be a rename is refused if it is in both readings, and unknown if it is in one.
fn read_in_both_ways(changed: &Changed<'_>, verdicts: &mut [PathVerdict]) {
    if changed.ambiguous().is_empty() {
        return;
    }
    let names = order::names(changed.ambiguous().iter().flatten().map(|name| &**name));
    let definite = order::names(changed.renames().flat_map(|(before, after)| [before, after]));
    let is_part = |file: &ChangedFile<'_>| {
        let may_be_none = file.is_uncertain || file.change == Some(Change::Renamed);
        may_be_none && names.contains(&*file.path) && !definite.contains(&*file.path)
    };
    let mut parts: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (index, file) in changed.files().iter().enumerate() {
        // A name of several changes keeps its own verdict.
        let part = parts.entry(&file.path).and_modify(|part| *part = None);
        part.or_insert_with(|| is_part(file).then_some(index));
    }
    let read = verdicts.to_vec();
    let of = |index: usize| read.get(index).copied().unwrap_or(PathVerdict::Unknown);
    for index in parts.values().flatten() {
        verdicts.get_mut(*index).into_iter().for_each(|own| *own = PathVerdict::Matched);
    }
    for names in changed.ambiguous() {
        let [before, after, whole] = [0, 1, 2]
            .map(|at: usize| names.get(at).and_then(|name| *parts.get(&**name)?).unwrap_or(usize::MAX));
        let (as_rename, as_one) = (of(before).min(of(after)), of(whole));
        for index in [before, after, whole] {
            let verdict = match of(index) {
                PathVerdict::Clean if as_rename != as_one => PathVerdict::Unknown,
                own => own,
            };
            let is_allowed = as_rename == PathVerdict::Matched && as_one == PathVerdict::Matched;
            if let Some(own) = verdicts.get_mut(index).filter(|_| !is_allowed) {
                *own = verdict.min(*own);
            }
        }
    }
}
