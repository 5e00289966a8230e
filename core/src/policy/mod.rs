//! The policy document: data that tunes and extends the evaluator (SPEC section 3.7).
//!
//! [`PolicyDocument`] is the wire form, [`Policy`] the compiled one that evaluations use; a policy is compiled
//! once and evaluated against as often as wanted. [`Rule`]s of its own have conditions over [`Variable`]s, of which
//! [`Fact`]s are a documented table. What a variable *is* in an evaluation, and what a firing rule does to a decision,
//! is the evaluator's.

mod conditions;
mod document;
mod fact;
mod index;
mod role;
mod rule;
mod rule_document;
mod test;
mod variable;

use alloc::{format, string::String, vec::Vec};

pub use document::{
    AtLeast, Outside, Parameters, PolicyDocument, Profile, ReviewRequirement, Routes, Version,
};
pub use fact::{Fact, FactRow};
pub(crate) use index::Index;
pub use role::Role;
pub use rule::Rule;
use rule::compile_rules;
pub(crate) use rule::resolution_of;
pub use rule_document::{
    Consequence, OnUnknown, RuleBlocker, RuleDocument, RuleFix, RuleMode, RuleResolution,
};
pub use test::{Test, TestDocument};
pub(crate) use variable::is_extension;
pub use variable::{Parameter, Root, Variable};

use adjudicate_lang::{
    Error, Steps,
    json::{self, Limits, Node, Pointer},
    logic::{Path, Texts},
    paths::{Glob, PathCase, Pattern},
};

use crate::codes;

/// How many `partial` results in a row call for a person when the policy does not say (OA06 section 7).
const PARTIAL_THRESHOLD: u64 = 3;
/// How often the same blocker may come when the policy does not say: twice (OA06 section 7).
const BLOCKER_REPEAT: u64 = 2;
/// How many refinements are allowed when neither the envelope nor the policy says (OA06.1 section 1).
const REFINEMENT_CAP: u64 = 1;

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
    outside: Outside,
    forbidden_paths: Vec<Glob>,
    protected_paths: Vec<Glob>,
    required_artifacts: Vec<Glob>,
    required_validators: Option<Vec<String>>,
    review: Option<ReviewRequirement>,
    routes: Vec<(Role, Vec<Glob>)>,
    rules: Vec<Rule>,
    /// What the conditions of the rules ask for, in the order of their paths.
    variables: Vec<Variable>,
    /// What is in several conditions; a detached policy has each of them once.
    texts: Texts,
    index: Index,
    tests: Vec<Test>,
    digest: String,
}

/// What holds where no policy is given: profile `oa06` and the documents' own thresholds.
pub(crate) static STANDARD: Policy = Policy {
    name: String::new(),
    version: String::new(),
    profile: Profile::Oa06,
    partial_threshold: None,
    blocker_repeat: None,
    refinement_cap: None,
    outside: Outside::Ask,
    forbidden_paths: Vec::new(),
    protected_paths: Vec::new(),
    required_artifacts: Vec::new(),
    required_validators: None,
    review: None,
    routes: Vec::new(),
    rules: Vec::new(),
    variables: Vec::new(),
    texts: Texts::EMPTY,
    index: Index::EMPTY,
    tests: Vec::new(),
    digest: String::new(),
};

impl Policy {
    /// Reads and compiles a policy document.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`], the first error in document order, and [`codes::INVALID_POLICY`] for what is
    /// well formed but cannot mean anything.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, Limits::DOCUMENT)?;
        Self::compile_whole(&PolicyDocument::from_tape(&tape)?, tape.root())
    }

    /// Compiles a document with its tests and digest. `source` is what the document was decoded from.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::parse`] that are about a policy's meaning.
    pub(crate) fn compile_whole(document: &PolicyDocument<'_>, source: Node<'_>) -> Result<Self, Error> {
        let policy = Self::compile(document, source)?;
        let tests = document.tests.iter().zip(items(source, "tests", document.tests.len())?);
        let conditions = policy.rules.iter().flat_map(|rule| rule.condition().texts());
        let texts = Texts::repeated(conditions.chain(policy.variables.iter().map(Variable::shared_text)));
        Ok(Self { texts, tests: test::keep(tests), digest: json::digest(source), ..policy })
    }

    /// Compiles a document for one call, without its tests and digest. `source` is what the document was decoded from.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_POLICY`] for what cannot mean anything, [`codes::INVALID_EXPRESSION`] for conditions
    /// that cannot, [`codes::LIMIT_EXCEEDED`] for patterns that stand for too many alternatives.
    pub(crate) fn compile(document: &PolicyDocument<'_>, source: Node<'_>) -> Result<Self, Error> {
        let mut steps = Steps::for_patterns();
        let routes = &document.routes;
        // One after the other in a list: what is to be dropped where one fails is then one thing.
        let mut globs = Vec::new();
        let (of_paths, of_steps) = (document.path_case, PathCase::Sensitive);
        for (path, patterns, case) in [
            ("/forbidden_paths", &document.forbidden_paths, of_paths),
            ("/protected_paths", &document.protected_paths, of_paths),
            ("/required_artifacts", &document.required_artifacts, of_paths),
            ("/routes/forward", &routes.forward, of_steps),
            ("/routes/fix", &routes.fix, of_steps),
            ("/routes/gate", &routes.gate, of_steps),
            ("/routes/rollback", &routes.rollback, of_steps),
            ("/routes/stop", &routes.stop, of_steps),
        ] {
            globs.push(compile_all(path, patterns, case, &mut steps)?);
        }
        let mut globs = globs.into_iter();
        let mut next = || globs.next().unwrap_or_default();
        let policy = Self {
            name: document.policy.into(),
            version: document.version.text().into(),
            profile: document.profile,
            partial_threshold: document.parameters.partial_threshold.map(document::AtLeast::value),
            blocker_repeat: document.parameters.blocker_repeat.map(document::AtLeast::value),
            refinement_cap: document.parameters.refinement_cap,
            outside: document.outside,
            forbidden_paths: next(),
            protected_paths: next(),
            required_artifacts: next(),
            required_validators: document
                .required_validators
                .as_ref()
                .map(|ids| ids.iter().map(|id| String::from(*id)).collect()),
            review: document.review,
            routes: [Role::Forward, Role::Fix, Role::Gate, Role::Rollback, Role::Stop]
                .into_iter()
                .map(|role| (role, next()))
                .filter(|(_, globs)| !globs.is_empty())
                .collect(),
            rules: Vec::new(),
            variables: Vec::new(),
            texts: Texts::EMPTY,
            index: Index::EMPTY,
            tests: Vec::new(),
            digest: String::new(),
        };
        let sources = items(source, "rules", document.rules.len())?;
        let (rules, variables) = compile_rules(document.rules.iter().zip(sources), &mut steps)?;
        let sources = items(source, "tests", document.tests.len())?;
        test::check(document.tests.iter().zip(sources), &Pointer::new("/tests"))?;
        Ok(Self { index: Index::new(&rules, &variables), rules, variables, ..policy })
    }

    /// A copy that shares nothing with the original, and has room for no more than it holds: what a module keeps that is
    /// configured once. (Clones share the constants and paths of conditions.)
    ///
    /// ```
    /// use adjudicate_core::Policy;
    /// let policy = Policy::parse(br#"{"policy": "release", "version": "1.2.0"}"#)?;
    /// assert_eq!(policy.detached().digest(), policy.digest());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn detached(&self) -> Self {
        let mut copy = Self { texts: self.texts.copied(), ..self.clone() };
        let Self { rules, variables, texts, .. } = &mut copy;
        variables.iter_mut().for_each(|variable| variable.detach(texts));
        rules.iter_mut().for_each(|rule| rule.detach(texts, variables));
        copy
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

    /// The digest of the document's canonical JSON, `sha256:<hex>`: the same however the document is laid out.
    ///
    /// ```
    /// use adjudicate_core::Policy;
    /// let [dense, spaced] = [r#"{"policy":"p","version":"1.0.0"}"#, r#"{ "version": "1.0.0", "policy": "p" }"#];
    /// assert_eq!(Policy::parse(dense.as_bytes())?.digest(), Policy::parse(spaced.as_bytes())?.digest());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The rules of its own, in the order of the document.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The tests that it brings.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// What the conditions of its rules ask for; the place of a variable is its number.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// The number of the variable with that path, if a condition asks for it.
    pub(crate) fn variable_number(&self, path: &Path) -> Option<u32> {
        conditions::number(&self.variables, path)
    }

    /// A threshold, with the default where the policy does not say.
    pub(crate) fn parameter(&self, parameter: Parameter) -> u64 {
        match parameter {
            Parameter::PartialThreshold => self.partial_threshold(),
            Parameter::BlockerRepeat => self.blocker_repeat(),
            Parameter::RefinementCap => self.refinement_cap.unwrap_or(REFINEMENT_CAP),
        }
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

    /// What it makes of changed paths outside of the workspace.
    pub(crate) const fn outside(&self) -> Outside {
        self.outside
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
        self.required_validators.as_deref().unwrap_or_default()
    }

    /// Returns whether the policy says which validators are required, even if none is.
    pub(crate) const fn says_required_validators(&self) -> bool {
        self.required_validators.is_some()
    }

    /// When a success needs a review.
    pub(crate) fn review(&self) -> ReviewRequirement {
        self.review.unwrap_or(match self.profile {
            Profile::Oa06 => ReviewRequirement::Optional,
            Profile::Oa06_1 => ReviewRequirement::First,
        })
    }

    /// Returns whether the policy itself says when a success needs a review.
    pub(crate) const fn says_review(&self) -> bool {
        self.review.is_some()
    }

    /// The patterns of each role that has any, in the order in which they are tried.
    pub(crate) fn routes(&self) -> &[(Role, Vec<Glob>)] {
        &self.routes
    }
}

fn compile_all(
    path: &str,
    patterns: &[Pattern<'_>],
    case: PathCase,
    steps: &mut Steps,
) -> Result<Vec<Glob>, Error> {
    let compile = |(index, pattern): (usize, &Pattern<'_>)| {
        Glob::with_case(*pattern, case, steps).map_err(|error| error.at(alloc::format!("{path}/{index}")))
    };
    let mut globs = Vec::with_capacity(patterns.len());
    for pattern in patterns.iter().enumerate().map(compile) {
        globs.push(pattern?);
    }
    Ok(globs)
}

/// The items of a list as they stand in a document, of which so many were decoded.
fn items<'t>(source: Node<'t>, name: &str, count: usize) -> Result<Vec<Node<'t>>, Error> {
    let items: Vec<Node<'_>> = source.member(name).into_iter().flat_map(Node::items).collect();
    if items.len() == count {
        return Ok(items);
    }
    // A rule that is lost would be a rule that never fires.
    let message = "the policy is not what it was decoded from";
    Err(Error::new(codes::INVALID_POLICY, message).at(format!("/{name}")))
}
