//! The policy document: data that tunes and extends the evaluator (docs/reference/policies.md).
//!
//! [`PolicyDocument`] is the wire form, [`Policy`] the compiled form. You compile a policy once and evaluate any number of
//! envelopes with it. Its [`Rule`]s have conditions over [`Variable`]s; the [`Fact`]s among these are a documented table.
//! The evaluator (`evaluate`) computes the values of variables and the effect of a rule on the decision.

mod conditions;
mod fact;
mod index;
mod inputs;
mod rule;
mod test;
mod test_sources;
mod variable;

use alloc::{format, string::String, vec::Vec};

pub use fact::{Fact, FactRow};
pub(crate) use index::Index;
pub(crate) use inputs::{Breaches, Inputs, declares, is_of_inputs};
pub use rule::Rule;
pub(crate) use rule::resolution_of;
use rule::{compile_rules, with_conditions};
pub use test::{Test, expects_nothing};
pub(crate) use test_sources::SourceOfTests;
pub(crate) use variable::is_extension;
pub use variable::{Parameter, Root, Variable};

use adjudicate_lang::{
    Error, Steps,
    document::{AtLeast, Object, Reader},
    json::{self, Pointer, ReadLimits},
    logic::{StringInterner, VariablePath},
    paths::{Glob, PathCase, TextPattern},
};

use crate::codes;
pub use crate::documents::{
    policy::{
        KnownFailures, Outside, Parameters, PolicyDocument, Profile, ReviewRequirement, Routes, Version,
    },
    policy_test::TestDocument,
    role::Role,
    rule::{Consequence, OnUnknown, RuleBlocker, RuleDocument, RuleFix, RuleMode, RuleResolution},
};

/// The default number of `partial` results in a row after which a human decides (docs/reference/loop.md).
const PARTIAL_THRESHOLD: u64 = 3;
/// The default number of times that the same blocker may come before a human decides (docs/reference/loop.md).
const BLOCKER_REPEAT: u64 = 2;
/// The number of allowed refinements if neither the envelope nor the policy has one (docs/reference/loop.md).
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
    allowed_paths: Option<Vec<Glob>>,
    required_artifacts: Vec<Glob>,
    required_validators: Option<Vec<String>>,
    require_tree: bool,
    known_failures: KnownFailures,
    tests_may_go: Vec<Glob>,
    test_sources: Vec<SourceOfTests>,
    unstable_ids: Vec<TextPattern>,
    review: Option<ReviewRequirement>,
    routes: Vec<(Role, Vec<Glob>)>,
    inputs: Option<Inputs>,
    rules: Vec<Rule>,
    /// The variables that the conditions of the rules read, in the order of their paths.
    variables: Vec<Variable>,
    /// The strings that several conditions contain; a detached policy holds each of them once.
    texts: StringInterner,
    index: Index,
    tests: Vec<Test>,
    digest: String,
}

/// The policy of an evaluation without one: profile `oa06` and the thresholds of the source documents.
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
    allowed_paths: None,
    required_artifacts: Vec::new(),
    required_validators: None,
    require_tree: false,
    known_failures: KnownFailures::Refuse,
    tests_may_go: Vec::new(),
    test_sources: Vec::new(),
    unstable_ids: Vec::new(),
    review: None,
    routes: Vec::new(),
    inputs: None,
    rules: Vec::new(),
    variables: Vec::new(),
    texts: StringInterner::EMPTY,
    index: Index::EMPTY,
    tests: Vec::new(),
    digest: String::new(),
};

impl Policy {
    /// Reads and compiles a policy document.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`], the errors of fields in document order with those of conditions, and
    /// [`invalid_policy`](crate::codes::INVALID_POLICY) for a well-formed document without a meaning.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, ReadLimits::DOCUMENT)?;
        match PolicyDocument::from_tape(&tape) {
            Ok(document) => Self::compile_whole(&document),
            Err(error) => with_conditions(&error, tape.root()),
        }
    }

    /// Compiles a document with its tests and digest.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::parse`] that are about a policy's meaning.
    pub(crate) fn compile_whole(document: &PolicyDocument<'_>) -> Result<Self, Error> {
        let policy = Self::compile(document)?;
        let conditions = policy.rules.iter().flat_map(|rule| rule.condition().texts());
        let texts =
            StringInterner::repeated(conditions.chain(policy.variables.iter().map(Variable::shared_text)));
        Ok(Self {
            texts,
            tests: test::keep(&document.tests),
            digest: json::digest(document.source),
            ..policy
        })
    }

    /// Compiles a document for one call, without its tests and digest.
    ///
    /// # Errors
    ///
    /// [`invalid_schema`](crate::codes::INVALID_SCHEMA) for the schema of declared inputs,
    /// [`invalid_expression`](crate::codes::INVALID_EXPRESSION) for a condition, [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED)
    /// for patterns with too many alternatives, [`invalid_policy`](crate::codes::INVALID_POLICY) for any other part without a meaning.
    pub(crate) fn compile(document: &PolicyDocument<'_>) -> Result<Self, Error> {
        let mut steps = Steps::for_patterns();
        let mut errors = Reader::default();
        let routes = &document.routes;
        // They are compiled into one list, so that the code for errors has one value to drop.
        let mut globs = Vec::new();
        let (of_paths, of_steps) = (document.path_case, PathCase::Sensitive);
        let allowed_paths = document.allowed_paths.as_deref().unwrap_or_default();
        for (path, patterns, case) in [
            ("/forbidden_paths", &*document.forbidden_paths, of_paths),
            ("/protected_paths", &document.protected_paths, of_paths),
            ("/allowed_paths", allowed_paths, of_paths),
            ("/required_artifacts", &document.required_artifacts, of_paths),
            ("/tests_may_go", &document.tests_may_go, of_paths),
            ("/routes/forward", &routes.forward, of_steps),
            ("/routes/fix", &routes.fix, of_steps),
            ("/routes/gate", &routes.gate, of_steps),
            ("/routes/rollback", &routes.rollback, of_steps),
            ("/routes/stop", &routes.stop, of_steps),
        ] {
            let compiled = compile_each(path, patterns, &mut errors, |pattern| {
                Glob::with_case(*pattern, case, &mut steps)
            });
            match compiled {
                Some(compiled) => globs.push(compiled),
                None => return errors.end(None),
            }
        }
        let test_sources = compile_each("/test_sources", &document.test_sources, &mut errors, |pair| {
            SourceOfTests::compile(pair, of_paths, &mut steps)
        });
        let unstable_ids = compile_each("/unstable_ids", &document.unstable_ids, &mut errors, |pattern| {
            TextPattern::of_texts(*pattern, &mut steps)
        });
        let (Some(test_sources), Some(unstable_ids)) = (test_sources, unstable_ids) else {
            return errors.end(None);
        };
        let mut globs = globs.into_iter();
        let mut next = || globs.next().unwrap_or_default();
        let policy = Self {
            name: document.policy.into(),
            version: document.version.text().into(),
            profile: document.profile,
            partial_threshold: document.parameters.partial_threshold.map(AtLeast::value),
            blocker_repeat: document.parameters.blocker_repeat.map(AtLeast::value),
            refinement_cap: document.parameters.refinement_cap,
            outside: document.outside,
            forbidden_paths: next(),
            protected_paths: next(),
            allowed_paths: Some(next()).filter(|_| document.allowed_paths.is_some()),
            required_artifacts: next(),
            tests_may_go: next(),
            required_validators: document
                .required_validators
                .as_ref()
                .map(|ids| ids.iter().map(|id| String::from(*id)).collect()),
            require_tree: document.require_tree,
            known_failures: document.known_failures,
            test_sources,
            unstable_ids,
            review: document.review,
            routes: [Role::Forward, Role::Fix, Role::Gate, Role::Rollback, Role::Stop]
                .into_iter()
                .map(|role| (role, next()))
                .filter(|(_, globs)| !globs.is_empty())
                .collect(),
            inputs: None,
            rules: Vec::new(),
            variables: Vec::new(),
            texts: StringInterner::EMPTY,
            index: Index::EMPTY,
            tests: Vec::new(),
            digest: String::new(),
        };
        let inputs = document
            .inputs
            .and_then(|Object(source)| Inputs::compile(source).map_err(|error| errors.note(error)).ok());
        let (rules, variables) = compile_rules(&document.rules, &mut steps, &mut errors);
        test::check(&document.tests, &Pointer::new("/tests"), &mut errors);
        errors.end(Some(Self { index: Index::new(&rules, &variables), inputs, rules, variables, ..policy }))
    }

    /// Returns a copy that shares nothing with the original and has no spare capacity, for a module that is configured once.
    /// (Clones share the constants and paths of conditions.)
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

    /// The policy's rules, in the order of the document.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The policy's tests.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// The variables that the conditions of the rules read; the index of a variable is its number.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// The number of the variable with this path, if a condition reads it.
    pub(crate) fn variable_number(&self, path: &VariablePath) -> Option<u32> {
        conditions::number(&self.variables, path)
    }

    /// The variable with this path, if a condition reads it.
    pub(crate) fn variable(&self, path: &VariablePath) -> Option<&Variable> {
        self.variables.get(self.variable_number(path)? as usize)
    }

    /// A threshold of the policy, or its default.
    pub(crate) fn parameter(&self, parameter: Parameter) -> u64 {
        match parameter {
            Parameter::PartialThreshold => self.partial_threshold(),
            Parameter::BlockerRepeat => self.blocker_repeat(),
            Parameter::RefinementCap => self.refinement_cap.unwrap_or(REFINEMENT_CAP),
        }
    }

    /// The source document whose loop rules apply.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// The number of `partial` results in a row after which a human decides.
    pub(crate) fn partial_threshold(&self) -> u64 {
        self.partial_threshold.unwrap_or(PARTIAL_THRESHOLD)
    }

    /// The number of times that the same blocker may come before a human decides.
    pub(crate) fn blocker_repeat(&self) -> u64 {
        self.blocker_repeat.unwrap_or(BLOCKER_REPEAT)
    }

    /// The treatment of changed paths outside of the workspace.
    pub(crate) const fn outside(&self) -> Outside {
        self.outside
    }

    pub(crate) fn forbidden_paths(&self) -> &[Glob] {
        &self.forbidden_paths
    }

    pub(crate) fn protected_paths(&self) -> &[Glob] {
        &self.protected_paths
    }

    /// The only patterns whose files may change, if the policy lists any.
    pub(crate) fn allowed_paths(&self) -> Option<&[Glob]> {
        self.allowed_paths.as_deref()
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

    /// Returns whether every result needs a tree.
    pub(crate) const fn requires_tree(&self) -> bool {
        self.require_tree
    }

    /// Returns whether failures that the baseline has, too, are no failures.
    pub(crate) fn accepts_known_failures(&self) -> bool {
        self.known_failures == KnownFailures::Accept
    }

    /// The patterns of test files whose tests may go with them.
    pub(crate) fn tests_may_go(&self) -> &[Glob] {
        &self.tests_may_go
    }

    /// The sources of test files.
    pub(crate) fn test_sources(&self) -> &[SourceOfTests] {
        &self.test_sources
    }

    /// The patterns of ids that come and go.
    pub(crate) fn unstable_ids(&self) -> &[TextPattern] {
        &self.unstable_ids
    }

    /// The successes that need a review.
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

    /// The declared `x-` fields that conditions read, if the policy declares them.
    pub(crate) const fn inputs(&self) -> Option<&Inputs> {
        self.inputs.as_ref()
    }

    /// The patterns of each role that has any, in the order in which they are tried.
    pub(crate) fn routes(&self) -> &[(Role, Vec<Glob>)] {
        &self.routes
    }
}

/// Compiles each item of a list, and notes the errors. Returns `None` if the steps ran out, because all patterns share them.
fn compile_each<P, T>(
    path: &str,
    items: &[P],
    errors: &mut Reader,
    mut compile: impl FnMut(&P) -> Result<T, Error>,
) -> Option<Vec<T>> {
    let mut compiled = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match compile(item) {
            Ok(one) => compiled.push(one),
            Err(error) => {
                let is_spent = error.code() == codes::LIMIT_EXCEEDED;
                errors.note(error.below(&format!("{path}/{index}")));
                if is_spent {
                    return None;
                }
            }
        }
    }
    Some(compiled)
}
