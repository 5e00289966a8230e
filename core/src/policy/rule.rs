//! The rules of a policy, compiled.

use alloc::{boxed::Box, collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{Node, Pointer},
    logic::{Path, Program, Texts},
};

use super::{
    conditions::{Conditions, asked, number},
    rule_document::{OnUnknown, RuleDocument, RuleMode},
    variable::Variable,
};
use crate::codes::{self, FINDINGS_OMITTED, ResolutionKind, RuleCode, Severity, Status};

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Rule {
    id: Box<str>,
    condition: Program,
    on_unknown: OnUnknown,
    mode: RuleMode,
    status: Status,
    severity: Severity,
    flag: Option<Box<str>>,
    blocker: Option<Box<str>>,
    summary: Box<str>,
    /// Where the rule says; otherwise it is that of the status.
    resolution: Option<(ResolutionKind, Box<str>)>,
    fix: Option<Box<Fix>>,
    /// All variables of the condition, by number, as written.
    variables: Box<[u32]>,
    /// Those that are parts of the envelope, where not all are.
    inputs: Option<Box<[u32]>>,
    /// Those that leave it unknown where they are, as written, if that is another list than all.
    asks: Option<Box<[u32]>>,
}

/// The edit of a compiled rule.
#[derive(Clone, Debug)]
pub(crate) struct Fix {
    pub target: String,
    pub action: String,
    pub rationale: String,
}

impl Rule {
    /// Compiles a rule; paths of errors begin at it. `source` is what the document was decoded from.
    pub(super) fn compile(
        document: &RuleDocument<'_>,
        source: Node<'_>,
        conditions: &mut Conditions<'_>,
    ) -> Result<Self, Error> {
        if let Some(fault) = id_fault(document.id) {
            return Err(Error::new(codes::INVALID_POLICY, fault).at("/id"));
        }
        // Decoding found it.
        let condition = conditions.compile(source.member("when").unwrap_or(source));
        let condition = condition.map_err(|error| error.below("/when"))?;
        let then = &document.then;
        if then.status == Status::Success {
            let message =
                "a rule calls for something other than `success`, which is what no finding comes to";
            return Err(Error::new(codes::INVALID_POLICY, message).at("/then/status"));
        }
        let fix = then.fix.map(|fix| {
            Box::new(Fix {
                target: fix.target.into(),
                action: fix.action.into(),
                rationale: fix.rationale.into(),
            })
        });
        Ok(Self {
            id: document.id.into(),
            condition,
            on_unknown: document.on_unknown,
            mode: document.mode,
            status: then.status,
            severity: then.blocker.map_or(then.status.severity(), |blocker| blocker.severity),
            flag: then.flag.map(Into::into),
            blocker: then.blocker.map(|blocker| blocker.code.into()),
            summary: then.summary.into(),
            resolution: then.resolution.map(|resolution| (resolution.kind, resolution.hint.into())),
            fix,
            variables: Box::default(),
            inputs: None,
            asks: None,
        })
    }

    /// Gives the variables of the condition their places among those of the document.
    pub(super) fn number_variables(&mut self, variables: &[Variable]) {
        self.condition.number_variables(|path| number(variables, path));
        self.condition.share_paths(|number| path(variables, number));
        let [inputs, asks, all] = asked(&self.condition, variables);
        self.inputs = (inputs != all).then(|| inputs.into());
        self.asks = (asks != all).then(|| asks.into());
        self.variables = all.into();
    }

    /// Gives the condition constants and paths that nobody has but its policy.
    pub(super) fn detach(&mut self, texts: &Texts, variables: &[Variable]) {
        self.condition.detach(texts, |number| path(variables, number));
    }

    /// The rule's name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// When it fires.
    #[must_use]
    pub const fn condition(&self) -> &Program {
        &self.condition
    }

    /// What happens when the condition is unknown.
    #[must_use]
    pub const fn on_unknown(&self) -> OnUnknown {
        self.on_unknown
    }

    /// Whether it counts.
    #[must_use]
    pub const fn mode(&self) -> RuleMode {
        self.mode
    }

    /// The status it calls for.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// How grave its findings are.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// The risk flag it raises.
    #[must_use]
    pub fn flag(&self) -> Option<&str> {
        self.flag.as_deref()
    }

    /// The code of its blocker.
    #[must_use]
    pub fn blocker(&self) -> Option<&str> {
        self.blocker.as_deref()
    }

    /// What it finds, in one line.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// What would make its finding go away.
    #[must_use]
    pub fn resolution(&self) -> (ResolutionKind, &str) {
        match &self.resolution {
            Some((kind, hint)) => (*kind, hint),
            None => resolution_of(self.status),
        }
    }

    pub(crate) fn fix(&self) -> Option<&Fix> {
        self.fix.as_deref()
    }

    /// The variables of the condition that are parts of the envelope, by number, as written.
    pub(crate) fn inputs(&self) -> &[u32] {
        self.inputs.as_deref().unwrap_or(&self.variables)
    }

    /// All variables of the condition, by number, as written.
    pub(crate) fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// The variables that leave it unknown where they are, by number, as written.
    pub(crate) fn asks(&self) -> &[u32] {
        self.asks.as_deref().unwrap_or(&self.variables)
    }
}

/// Compiles rules, each with how it stands in the document, and lists what their conditions ask for.
pub(super) fn compile_rules<'d, 't>(
    rules: impl ExactSizeIterator<Item = (&'d RuleDocument<'d>, Node<'t>)>,
    steps: &mut Steps,
) -> Result<(Vec<Rule>, Vec<Variable>), Error> {
    let mut conditions = Conditions::new(steps);
    let mut ids = BTreeSet::new();
    let mut compiled = Vec::with_capacity(rules.len());
    for (index, (document, source)) in rules.enumerate() {
        let pointer = || Pointer::new("/rules").index(index).into_string();
        if !ids.insert(document.id) {
            let message = format!("two rules are called `{}`", document.id);
            return Err(Error::new(codes::INVALID_POLICY, message).at(pointer() + "/id"));
        }
        let rule =
            Rule::compile(document, source, &mut conditions).map_err(|error| error.below(&pointer()))?;
        compiled.push(rule);
    }
    let variables = conditions.finish(&mut compiled);
    Ok((compiled, variables))
}

/// The path of the variable of that number.
fn path(variables: &[Variable], number: u32) -> Option<&Path> {
    variables.get(number as usize).map(Variable::path)
}

/// What is wrong with the name of a rule by itself.
fn id_fault(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("a rule has a name".into());
    }
    let is_built_in = id == FINDINGS_OMITTED || RuleCode::ALL.iter().any(|code| code.row().name == id);
    is_built_in.then(|| format!("`{id}` is a built-in rule"))
}

/// What makes a finding go away of which nothing is said but its status.
pub(crate) const fn resolution_of(status: Status) -> (ResolutionKind, &'static str) {
    match status {
        Status::Success | Status::Partial => (ResolutionKind::AfterFix, "fix what the rule finds"),
        Status::Blocked => (ResolutionKind::ProvideEvidence, "provide what the rule asks for"),
        Status::NeedsHuman => (ResolutionKind::NeedsApproval, "have a person decide"),
        Status::Unsafe => (ResolutionKind::Terminal, "undo the step"),
    }
}
