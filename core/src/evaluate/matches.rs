//! Matches the paths of the evidence against the patterns of a policy, and finds missing artifacts.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::Pointer,
    order,
    paths::{Artifacts, Glob, Path, PathVerdict, is_unstable, normalize, skeleton},
};

use super::diff::ChangedFile;
use crate::{
    documents::{evidence::Evidence, policy::Outside},
    policy::Policy,
};

/// A changed file and the first pattern that decides it, by index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub file: usize,
    /// `None` for a path outside of the workspace, which is not matched against patterns.
    pub pattern: Option<usize>,
    /// True if the pattern matches only after Unicode normalization.
    pub is_other_form: bool,
}

/// The matches of a list of patterns among the changed files, each path once.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// The files that a pattern matches, and those outside of the workspace if the policy refuses them.
    pub matched: Vec<Match>,
    /// The files that a pattern might match: unlisted files of a directory, or paths outside of the workspace.
    pub unknown: Vec<Match>,
}

/// A required artifact that is absent.
#[derive(Clone, Debug)]
pub(crate) struct Missing<'a> {
    /// The required path or pattern.
    pub wanted: &'a str,
    source: ArtifactSource,
}

/// The part that requires an artifact.
#[derive(Clone, Copy, Debug)]
enum ArtifactSource {
    /// The envelope, at this index of its list. 32 bits suffice, because an input has at most 8 MiB.
    Envelope(u32),
    Policy,
    Review,
}

impl Missing<'_> {
    /// The pointer to the requirement, or to the place in the envelope where the artifact of a policy should be listed.
    pub(super) fn pointer(&self) -> String {
        match self.source {
            ArtifactSource::Envelope(index) => {
                Pointer::new("/evidence/required_artifacts").index(index as usize).into_string()
            }
            ArtifactSource::Policy => "/evidence/artifacts".into(),
            ArtifactSource::Review => "/evidence/review/artifact_ref".into(),
        }
    }
}

/// The matches of the forbidden and the protected paths of a policy among the changed files.
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
    let mut skeletons = lists.map(Skeletons::new);
    for (file, changed) in files.iter().enumerate() {
        let path = Path::read(&changed.path, changed.is_directory);
        let is_path_unstable = is_unstable(&changed.path);
        for (index, ((list, matches), skeletons)) in
            lists.iter().zip(&mut found).zip(&mut skeletons).enumerate()
        {
            let is_forbidden = index == 0;
            let outside = Match { file, pattern: None, is_other_form: false };
            if changed.outside.is_some() {
                // A refused path is forbidden without a pattern, and not matched further.
                match is_refused {
                    true if is_forbidden => matches.matched.push(outside),
                    false if !list.is_empty() => matches.unknown.push(outside),
                    _ => {}
                }
                continue;
            }
            let by = |pattern| Match { file, pattern, is_other_form: false };
            match verdict(list, &path, changed.is_removed(), steps)? {
                (PathVerdict::Clean, _) if !is_path_unstable && !skeletons.any_unstable => {}
                // The file system may treat two forms as one name.
                (PathVerdict::Clean, _) => {
                    let pattern = skeletons.pattern(list, changed, steps)?;
                    matches
                        .unknown
                        .extend(pattern.map(|pattern| Match { is_other_form: true, ..by(Some(pattern)) }));
                }
                (PathVerdict::Unknown, pattern) => matches.unknown.push(by(pattern)),
                (PathVerdict::Matched, pattern) => matches.matched.push(by(pattern)),
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

/// A list of patterns for names in other forms of Unicode, compiled when the first name needs it.
pub(super) struct Skeletons {
    /// True if Unicode normalization changes any pattern of the list.
    any_unstable: bool,
    compiled: Vec<Glob>,
}

impl Skeletons {
    pub(super) fn new(list: &[Glob]) -> Self {
        Self { any_unstable: list.iter().any(Glob::is_unstable), compiled: Vec::new() }
    }

    /// Returns the index of the first pattern that matches or may match the path after Unicode normalization of both.
    pub(super) fn pattern(
        &mut self,
        list: &[Glob],
        changed: &ChangedFile<'_>,
        steps: &mut Steps,
    ) -> Result<Option<usize>, Error> {
        let is_path_unstable = is_unstable(&changed.path);
        if !is_path_unstable && !self.any_unstable {
            return Ok(None);
        }
        if self.compiled.is_empty() {
            self.compiled = list.iter().map(|glob| glob.skeleton(steps)).collect::<Result<_, _>>()?;
        }
        steps.spend(changed.path.len())?;
        let text = skeleton(&changed.path);
        let path = Path::read(&text, changed.is_directory);
        for (index, (glob, written)) in self.compiled.iter().zip(list).enumerate() {
            if (is_path_unstable || written.is_unstable())
                && glob.verdict(&path, changed.is_removed(), steps)? != PathVerdict::Clean
            {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

/// The verdict of a list of patterns on a path, with the first pattern that matches, or else the first that might.
#[inline(always)]
pub(super) fn verdict(
    globs: &[Glob],
    path: &Path<'_>,
    is_removed: bool,
    steps: &mut Steps,
) -> Result<(PathVerdict, Option<usize>), Error> {
    let mut unknown = (PathVerdict::Clean, None);
    for (index, glob) in globs.iter().enumerate() {
        let verdict = glob.verdict(path, is_removed, steps)?;
        if verdict == PathVerdict::Matched {
            // A finding may show the pattern, so its length counts against the budget.
            steps.spend(glob.text().len())?;
            return Ok((verdict, Some(index)));
        }
        if verdict > unknown.0 {
            unknown = (verdict, Some(index));
        }
    }
    Ok(unknown)
}

/// The required artifacts that are absent, each once: of the envelope, then of the policy, then of the review.
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
    let artifacts = artifacts.iter().zip(&evidence.artifacts);
    let artifacts = artifacts.map(|(path, written)| Path::read(path, written.ends_with('/')));
    let mut artifacts = Artifacts::new(artifacts.collect());
    let mut pattern_steps = Steps::for_patterns();
    for (index, pattern) in (0..).zip(&evidence.required_artifacts) {
        let entry = Missing { wanted: pattern.text(), source: ArtifactSource::Envelope(index) };
        let glob = Glob::compile(*pattern, &mut pattern_steps)
            .map_err(|error| error.within("envelope").at(entry.pointer()))?;
        if !artifacts.satisfy(&glob, steps)? {
            missing.push(entry);
        }
    }
    for glob in policy.required_artifacts() {
        if !artifacts.satisfy(glob, steps)? {
            missing.push(Missing { wanted: glob.text(), source: ArtifactSource::Policy });
        }
    }
    if let Some(review) = &evidence.review {
        let reviewed = normalize(review.artifact_ref);
        if reviewed.is_empty() || !artifacts.contain(&Path::split(&reviewed)) {
            missing.push(Missing { wanted: review.artifact_ref, source: ArtifactSource::Review });
        }
    }
    // Equal values are one item.
    Ok(order::without_repeats(missing, |left, right| left.wanted.cmp(right.wanted)))
}
