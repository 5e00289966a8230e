//! Paths of the evidence against patterns of the policy: what matches, and what is missing.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{diff::ChangedFile, evidence::Evidence};
use crate::{
    error::Error,
    json::Pointer,
    order,
    paths::{Glob, Path, normalize},
    policy::Policy,
    steps::Steps,
};

/// A changed file and the first pattern of a list that matches it, by their indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub file: usize,
    pub pattern: usize,
}

/// Something that is asked for and not there.
#[derive(Clone, Debug)]
pub(crate) struct Missing<'a> {
    /// What is asked for.
    pub wanted: &'a str,
    /// Where it is asked for, or where it should be if a policy asks.
    pub pointer: String,
}

/// For each list of patterns the files that any of them matches, each path once.
pub(super) fn matching<const LISTS: usize>(
    lists: [&[Glob]; LISTS],
    files: &[ChangedFile<'_>],
    steps: &mut Steps,
) -> Result<[Vec<Match>; LISTS], Error> {
    let mut matches = lists.map(|_| Vec::new());
    if lists.iter().all(|list| list.is_empty()) {
        return Ok(matches);
    }
    let mut path = Path::default();
    for (file, changed) in files.iter().enumerate() {
        path.read(&changed.path);
        if changed.is_directory {
            path.enter();
        }
        for (list, matches) in lists.iter().zip(&mut matches) {
            if let Some(pattern) = first_match(list, &path, steps)? {
                matches.push(Match { file, pattern });
            }
        }
    }
    let path = |found: &Match| files.get(found.file).map(|file| &file.path);
    Ok(matches.map(|matches| order::without_repeats(matches, |left, right| path(left).cmp(&path(right)))))
}

fn first_match(globs: &[Glob], path: &Path<'_>, steps: &mut Steps) -> Result<Option<usize>, Error> {
    for (index, glob) in globs.iter().enumerate() {
        if glob.matches(path, steps)? {
            // A finding may show the pattern, which must not make an answer of any size.
            steps.spend(glob.text().len())?;
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// The required artifacts that are absent: the envelope's, then those that only the policy asks for.
pub(super) fn missing_artifacts<'a>(
    evidence: &Evidence<'a>,
    policy: &'a Policy,
    steps: &mut Steps,
) -> Result<Vec<Missing<'a>>, Error> {
    let mut missing: Vec<Missing<'a>> = Vec::new();
    if evidence.required_artifacts.is_empty()
        && policy.required_artifacts().is_empty()
        && evidence.review.is_none()
    {
        return Ok(missing);
    }
    let artifacts: Vec<Cow<'_, str>> = evidence.artifacts.iter().map(|path| normalize(path)).collect();
    let artifacts: Vec<Path<'_>> = artifacts.iter().map(|path| Path::split(path)).collect();
    let mut is_absent = |glob: &Glob| -> Result<bool, Error> {
        for artifact in &artifacts {
            if glob.matches(artifact, steps)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut pattern_steps = Steps::for_patterns();
    for (index, pattern) in evidence.required_artifacts.iter().enumerate() {
        let pointer = || Pointer::new("/evidence/required_artifacts").index(index).into_string();
        let glob = Glob::compile(*pattern, &mut pattern_steps).map_err(|error| error.at(pointer()))?;
        if is_absent(&glob)? {
            missing.push(Missing { wanted: pattern.text(), pointer: pointer() });
        }
    }
    for glob in policy.required_artifacts() {
        if is_absent(glob)? {
            missing.push(Missing { wanted: glob.text(), pointer: "/evidence/artifacts".into() });
        }
    }
    if let Some(review) = &evidence.review {
        let reviewed = normalize(review.artifact_ref);
        if !evidence.artifacts.iter().any(|path| normalize(path) == reviewed) {
            let pointer = String::from("/evidence/review/artifact_ref");
            missing.push(Missing { wanted: review.artifact_ref, pointer });
        }
    }
    // Equal values are one item.
    Ok(order::without_repeats(missing, |left, right| left.wanted.cmp(right.wanted)))
}
