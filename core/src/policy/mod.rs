//! The policy document: data that tunes the evaluator (SPEC section 3.7).
//!
//! [`PolicyDocument`] is the wire form, [`Policy`] the compiled one that evaluations use; a policy is compiled
//! once and evaluated against as often as wanted. Policies with `rules` or `tests` are refused for now: ignoring
//! them would make the policy mean less than it says.

mod document;
mod role;

use alloc::{string::String, vec::Vec};

pub use document::{AtLeast, Parameters, PolicyDocument, Profile, Routes, Version};
pub use role::Role;

use crate::{
    codes::ErrorCode,
    error::Error,
    json::{self, Limits},
    paths::{Glob, Pattern},
    steps::Steps,
};

/// How many `partial` results in a row call for a person when the policy does not say (OA06 section 7).
const PARTIAL_THRESHOLD: u64 = 3;
/// How often the same blocker may come when the policy does not say: twice (OA06 section 7).
const BLOCKER_REPEAT: u64 = 2;

/// A compiled policy.
///
/// ```
/// use adjudicate_core::{Policy, evaluate::evaluate_text};
/// let policy = Policy::parse(br#"{"policy": "release", "version": "1.2.0", "forbidden_paths": ["infra/**"]}"#)?;
/// assert_eq!((policy.name(), policy.version()), ("release", "1.2.0"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    name: String,
    version: String,
    profile: Profile,
    partial_threshold: Option<u64>,
    blocker_repeat: Option<u64>,
    refinement_cap: Option<u64>,
    forbidden_paths: Vec<Glob>,
    protected_paths: Vec<Glob>,
    required_artifacts: Vec<Glob>,
    required_validators: Vec<String>,
    routes: Vec<(Role, Vec<Glob>)>,
}

/// What holds where no policy is given: profile `oa06` and the documents' own thresholds.
pub(crate) static STANDARD: Policy = Policy {
    name: String::new(),
    version: String::new(),
    profile: Profile::Oa06,
    partial_threshold: None,
    blocker_repeat: None,
    refinement_cap: None,
    forbidden_paths: Vec::new(),
    protected_paths: Vec::new(),
    required_artifacts: Vec::new(),
    required_validators: Vec::new(),
    routes: Vec::new(),
};

impl Policy {
    /// Reads and compiles a policy document.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`], the first error in document order, and [`ErrorCode::InvalidPolicy`] for what is
    /// well formed but cannot mean anything.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        Self::compile(&PolicyDocument::from_tape(&json::read(text, Limits::DOCUMENT)?)?)
    }

    /// Compiles a document.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidPolicy`] for parts this engine does not evaluate, [`ErrorCode::LimitExceeded`] for
    /// patterns that stand for too many alternatives.
    pub fn compile(document: &PolicyDocument<'_>) -> Result<Self, Error> {
        for (name, count) in [("rules", document.rules.len()), ("tests", document.tests.len())] {
            if count > 0 {
                let message = alloc::format!("this engine does not evaluate `{name}` yet");
                return Err(Error::new(ErrorCode::InvalidPolicy, message).at(alloc::format!("/{name}")));
            }
        }
        let mut steps = Steps::for_patterns();
        let mut compile = |path: &str, patterns: &[Pattern<'_>]| compile_all(path, patterns, &mut steps);
        let routes = &document.routes;
        Ok(Self {
            name: document.policy.into(),
            version: document.version.text().into(),
            profile: document.profile,
            partial_threshold: document.parameters.partial_threshold.map(document::AtLeast::value),
            blocker_repeat: document.parameters.blocker_repeat.map(document::AtLeast::value),
            refinement_cap: document.parameters.refinement_cap,
            forbidden_paths: compile("/forbidden_paths", &document.forbidden_paths)?,
            protected_paths: compile("/protected_paths", &document.protected_paths)?,
            required_artifacts: compile("/required_artifacts", &document.required_artifacts)?,
            required_validators: document.required_validators.iter().map(|id| String::from(*id)).collect(),
            routes: {
                let mut routes = Vec::from([
                    (Role::Forward, compile("/routes/forward", &routes.forward)?),
                    (Role::Fix, compile("/routes/fix", &routes.fix)?),
                    (Role::Gate, compile("/routes/gate", &routes.gate)?),
                    (Role::Rollback, compile("/routes/rollback", &routes.rollback)?),
                    (Role::Stop, compile("/routes/stop", &routes.stop)?),
                ]);
                routes.retain(|(_, globs)| !globs.is_empty());
                routes
            },
        })
    }

    /// The policy's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The policy's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Which document's loop rules apply.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// How many `partial` results in a row call for a person.
    pub(crate) fn partial_threshold(&self) -> u64 {
        self.partial_threshold.unwrap_or(PARTIAL_THRESHOLD)
    }

    /// How often the same blocker may come before a person is called.
    pub(crate) fn blocker_repeat(&self) -> u64 {
        self.blocker_repeat.unwrap_or(BLOCKER_REPEAT)
    }

    pub(crate) const fn refinement_cap(&self) -> Option<u64> {
        self.refinement_cap
    }

    pub(crate) fn forbidden_paths(&self) -> &[Glob] {
        &self.forbidden_paths
    }

    pub(crate) fn protected_paths(&self) -> &[Glob] {
        &self.protected_paths
    }

    pub(crate) fn required_artifacts(&self) -> &[Glob] {
        &self.required_artifacts
    }

    pub(crate) fn required_validators(&self) -> &[String] {
        &self.required_validators
    }

    /// The patterns of each role that has any, in the order in which they are tried.
    pub(crate) fn routes(&self) -> &[(Role, Vec<Glob>)] {
        &self.routes
    }
}

fn compile_all(path: &str, patterns: &[Pattern<'_>], steps: &mut Steps) -> Result<Vec<Glob>, Error> {
    let compile = |(index, pattern): (usize, &Pattern<'_>)| {
        Glob::compile(*pattern, steps).map_err(|error| error.at(alloc::format!("{path}/{index}")))
    };
    patterns.iter().enumerate().map(compile).collect()
}
