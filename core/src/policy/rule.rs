//! The rules of a policy, compiled.

use alloc::{boxed::Box, collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    document::Reader,
    json::{Node, Pointer},
    logic::{Program, StringInterner, VariablePath},
};

use super::{
    conditions::{Conditions, number, variable_numbers},
    variable::Variable,
};
use crate::{
    codes::{self, FINDINGS_OMITTED, ResolutionKind, RuleCode, Severity, Status},
    documents::rule::{OnUnknown, RuleDocument, RuleMode},
};

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
    /// The rule's own resolution; without one, its fix or its status determines it.
    resolution: Option<(ResolutionKind, Box<str>)>,
    fix: Option<Box<Fix>>,
    /// The numbers of all variables of the condition, in the order of the text.
    variables: Box<[u32]>,
    /// Those that are parts of the envelope; `None` if all are.
    inputs: Option<Box<[u32]>>,
    /// Those that make the condition unknown if they are unknown; `None` if all do.
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
    /// Compiles a rule, unless `note` gets errors; their paths begin at the rule.
    fn compile(
        document: &RuleDocument<'_>,
        conditions: &mut Conditions<'_>,
        note: &mut dyn FnMut(Error),
    ) -> Option<Self> {
        let id_fault = id_fault(document.id);
        let is_named = id_fault.is_none();
        if let Some(fault) = id_fault {
            note(Error::new(codes::INVALID_POLICY, fault).at("/id"));
        }
        let condition = conditions.compile(document.when, &mut |error| note(error.below("/when")));
        let then = &document.then;
        if then.status == Status::Success {
            let message = "a rule cannot call for `success`; without findings, the status is `success`";
            note(Error::new(codes::INVALID_POLICY, message).at("/then/status"));
            return None;
        }
        let condition = condition.filter(|_| is_named)?;
        let fix = then.fix.map(|fix| {
            Box::new(Fix {
                target: fix.target.into(),
                action: fix.action.into(),
                rationale: fix.rationale.into(),
            })
        });
        Some(Self {
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

    /// Gives the variables of the condition their numbers, the indices among those of the document.
    fn number_variables(&mut self, variables: &[Variable]) {
        self.condition.number_variables(|path| number(variables, path));
        self.condition.share_paths(|number| path(variables, number));
        let [inputs, asks, all] = variable_numbers(&self.condition, variables);
        self.inputs = (inputs != all).then(|| inputs.into());
        self.asks = (asks != all).then(|| asks.into());
        self.variables = all.into();
    }

    /// Replaces the shared constants and paths of the condition with those that belong to its policy.
    pub(super) fn detach(&mut self, texts: &StringInterner, variables: &[Variable]) {
        self.condition.detach(texts, |number| path(variables, number));
    }

    /// The rule's name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The condition under which the rule fires.
    #[must_use]
    pub const fn condition(&self) -> &Program {
        &self.condition
    }

    /// The effect of a condition that is unknown.
    #[must_use]
    pub const fn on_unknown(&self) -> OnUnknown {
        self.on_unknown
    }

    /// The mode: the findings count, or are only reported.
    #[must_use]
    pub const fn mode(&self) -> RuleMode {
        self.mode
    }

    /// The status that the rule calls for.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The severity of the findings.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// The risk flag that the rule raises.
    #[must_use]
    pub fn flag(&self) -> Option<&str> {
        self.flag.as_deref()
    }

    /// The code of the blocker.
    #[must_use]
    pub fn blocker(&self) -> Option<&str> {
        self.blocker.as_deref()
    }

    /// The summary of the findings, in one line.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The act that resolves the findings.
    #[must_use]
    pub fn resolution(&self) -> (ResolutionKind, &str) {
        match (&self.resolution, &self.fix) {
            (Some((kind, hint)), _) => (*kind, hint),
            (None, Some(fix)) if self.status == Status::Partial => (ResolutionKind::AfterFix, &fix.action),
            (None, _) => resolution_of(self.status),
        }
    }

    pub(crate) fn fix(&self) -> Option<&Fix> {
        self.fix.as_deref()
    }

    /// The numbers of the condition's variables that are parts of the envelope, in the order of the text.
    pub(crate) fn inputs(&self) -> &[u32] {
        self.inputs.as_deref().unwrap_or(&self.variables)
    }

    /// The numbers of all variables of the condition, in the order of the text.
    pub(crate) fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// The numbers of the variables that make the condition unknown if they are unknown, in the order of the text.
    pub(crate) fn asks(&self) -> &[u32] {
        self.asks.as_deref().unwrap_or(&self.variables)
    }
}

/// Compiles rules, and lists the variables of their conditions.
pub(super) fn compile_rules(
    rules: &[RuleDocument<'_>],
    steps: &mut Steps,
    errors: &mut Reader,
) -> (Vec<Rule>, Vec<Variable>) {
    let mut conditions = Conditions::new(steps);
    let mut ids = BTreeSet::new();
    let mut compiled = Vec::with_capacity(rules.len());
    for (index, document) in rules.iter().enumerate() {
        let pointer = || Pointer::new("/rules").index(index).into_string();
        if !ids.insert(document.id) {
            let message = format!("two rules are called `{}`", document.id);
            errors.note(Error::new(codes::INVALID_POLICY, message).at(pointer() + "/id"));
        }
        let mut is_spent = false;
        compiled.extend(Rule::compile(document, &mut conditions, &mut |error| {
            is_spent |= error.code() == codes::LIMIT_EXCEEDED;
            errors.note(error.below(&pointer()));
        }));
        // The rules share one budget.
        if is_spent {
            break;
        }
    }
    let variables = conditions.finish();
    for rule in &mut compiled {
        rule.number_variables(&variables);
    }
    (compiled, variables)
}

/// Returns the errors of the fields of a policy, with the errors of its conditions.
pub(super) fn with_conditions<T>(error: &Error, policy: Node<'_>) -> Result<T, Error> {
    let mut errors = Reader::default();
    error.all().for_each(|error| errors.note(error.clone().with_others(Vec::new())));
    let mut steps = Steps::for_patterns();
    let mut conditions = Conditions::new(&mut steps);
    let rules = policy.member("rules").into_iter().flat_map(Node::items);
    for (index, when) in rules.enumerate().filter_map(|(index, rule)| Some((index, rule.member("when")?))) {
        let mut is_spent = false;
        conditions.compile(when, &mut |error| {
            is_spent |= error.code() == codes::LIMIT_EXCEEDED;
            errors.note(error.below(&Pointer::new("/rules").index(index).key("when").into_string()));
        });
        if is_spent {
            break;
        }
    }
    errors.end(None)
}

/// The path of the variable with this number.
fn path(variables: &[Variable], number: u32) -> Option<&VariablePath> {
    variables.get(number as usize).map(Variable::path)
}

/// The message about the name of a rule, if it is empty or a built-in rule's.
fn id_fault(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("a rule has a name".into());
    }
    let is_built_in = id == FINDINGS_OMITTED || RuleCode::ALL.iter().any(|code| code.row().name == id);
    is_built_in.then(|| format!("`{id}` is a built-in rule"))
}

/// The act that resolves a finding whose rule declares no act.
pub(crate) const fn resolution_of(status: Status) -> (ResolutionKind, &'static str) {
    match status {
        Status::Success | Status::Partial => (ResolutionKind::AfterFix, "fix what the rule finds"),
        Status::Blocked => (ResolutionKind::ProvideEvidence, "provide what the rule asks for"),
        Status::NeedsHuman => (ResolutionKind::NeedsApproval, "have a human decide"),
        Status::Unsafe => (ResolutionKind::Terminal, "undo the step"),
    }
}
