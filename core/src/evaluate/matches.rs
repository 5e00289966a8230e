//! Paths of the evidence against patterns of the policy: what matches, and what is missing.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::Pointer,
    order,
    paths::{Glob, Path, PathVerdict, normalize},
};

use super::{diff::ChangedFile, evidence::Evidence};
use crate::policy::{Outside, Policy};

/// A changed file and the first pattern of a list that decides on it, by their indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub file: usize,
    /// None for a path outside of the workspace, which no pattern is matched against.
    pub pattern: Option<usize>,
}

/// What a list of patterns says of the changed files, each path once.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// The files that a pattern matches, and those outside of the workspace where the policy refuses these.
    pub matched: Vec<Match>,
    /// The files that a pattern could match: their contents are not known, or they lie outside of the workspace.
    pub unknown: Vec<Match>,
}

/// Something that is asked for and not there.
#[derive(Clone, Debug)]
pub(crate) struct Missing<'a> {
    /// What is asked for.
    pub wanted: &'a str,
    source: Source,
}

/// Who asks for an artifact.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The envelope, in the entry of its list that has this number.
    Envelope(usize),
    Policy,
    Review,
}

impl Missing<'_> {
    /// Where it is asked for, or where it should be if a policy asks.
    pub(super) fn pointer(&self) -> String {
        match self.source {
            Source::Envelope(index) => {
                Pointer::new("/evidence/required_artifacts").index(index).into_string()
            }
            Source::Policy => "/evidence/artifacts".into(),
            Source::Review => "/evidence/review/artifact_ref".into(),
        }
    }
}

/// What the forbidden and the protected paths of a policy say of the changed files.
pub(super) fn matching(
    policy: &Policy,
    files: &[ChangedFile<'_>],
    steps: &mut Steps,
) -> Result<[Matches; 2], Error> {
    let lists = [policy.forbidden_paths(), policy.protected_paths()];
    let is_refused = policy.outside() == Outside::Refuse;
    let mut found = [Matches::default(), Matches::default()];
    if !is_refused && lists.iter().all(|list| list.is_empty()) {
        return Ok(found);
    }
    let mut path = Path::default();
    for (file, changed) in files.iter().enumerate() {
        path.read(&changed.path, changed.is_directory);
        for (index, (list, matches)) in lists.iter().zip(&mut found).enumerate() {
            let is_forbidden = index == 0;
            if changed.outside.is_some() {
                // A refused path is forbidden by no pattern, and not looked for any more.
                match is_refused {
                    true if is_forbidden => matches.matched.push(Match { file, pattern: None }),
                    false if !list.is_empty() => matches.unknown.push(Match { file, pattern: None }),
                    _ => {}
                }
                continue;
            }
            match verdict(list, &path, changed.is_removed(), steps)? {
                (PathVerdict::Clean, _) => {}
                (PathVerdict::Unknown, pattern) => matches.unknown.push(Match { file, pattern }),
                (PathVerdict::Matched, pattern) => matches.matched.push(Match { file, pattern }),
            }
        }
    }
    let path = |found: &Match| files.get(found.file).map(|file| (&file.path, &file.outside));
    let each_once = |found| order::without_repeats(found, |left, right| path(left).cmp(&path(right)));
    Ok(found.map(|Matches { matched, unknown }| Matches {
        matched: each_once(matched),
        unknown: each_once(unknown),
    }))
}

/// What a list of patterns says of a path, and the first pattern that says so: of one that matches, else of one that could.
fn verdict(
    globs: &[Glob],
    path: &Path<'_>,
    is_removed: bool,
    steps: &mut Steps,
) -> Result<(PathVerdict, Option<usize>), Error> {
    let mut unknown = (PathVerdict::Clean, None);
    for (index, glob) in globs.iter().enumerate() {
        let verdict = glob.verdict(path, is_removed, steps)?;
        if verdict == PathVerdict::Matched {
            // A finding may show the pattern, which must not make an answer of any size.
            steps.spend(glob.text().len())?;
            return Ok((verdict, Some(index)));
        }
        if verdict > unknown.0 {
            unknown = (verdict, Some(index));
        }
    }
    Ok(unknown)
}

/// The artifacts that are asked for and absent, each once: by the envelope, then by the policy, then by the review.
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
    missing.reserve_exact(evidence.required_artifacts.len() + policy.required_artifacts().len() + 1);
    let artifacts: Vec<Cow<'_, str>> = evidence.artifacts.iter().map(|path| normalize(path)).collect();
    let artifacts: Vec<Path<'_>> = artifacts
        .iter()
        .zip(&evidence.artifacts)
        .map(|(path, written)| match written.ends_with('/') {
            true => Path::directory(path),
            false => Path::split(path),
        })
        .collect();
    let mut is_absent = |glob: &Glob| -> Result<bool, Error> {
        for artifact in &artifacts {
            if glob.is_met_by(artifact, steps)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut pattern_steps = Steps::for_patterns();
    for (index, pattern) in evidence.required_artifacts.iter().enumerate() {
        let entry = Missing { wanted: pattern.text(), source: Source::Envelope(index) };
        let glob = Glob::compile(*pattern, &mut pattern_steps).map_err(|error| error.at(entry.pointer()))?;
        if is_absent(&glob)? {
            missing.push(entry);
        }
    }
    for glob in policy.required_artifacts() {
        if is_absent(glob)? {
            missing.push(Missing { wanted: glob.text(), source: Source::Policy });
        }
    }
    if let Some(review) = &evidence.review {
        let reviewed = normalize(review.artifact_ref);
        let reviewed = Path::split(&reviewed);
        let names_nothing = reviewed.segments().iter().all(|segment| segment.is_empty());
        if names_nothing || !artifacts.iter().any(|artifact| artifact.segments() == reviewed.segments()) {
            missing.push(Missing { wanted: review.artifact_ref, source: Source::Review });
        }
    }
    // Equal values are one item.
    Ok(order::without_repeats(missing, |left, right| left.wanted.cmp(right.wanted)))
}
