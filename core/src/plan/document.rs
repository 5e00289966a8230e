//! What a plan is judged by, as it is on the wire (SPEC section 7.1): the task, the plan, the capabilities and the facets.
//!
//! Only shapes are looked at here. That names repeat where a document cannot be meant then is an error; whatever a planner could
//! get wrong is read, for validators to find.

use alloc::{collections::BTreeSet, format, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        Node,
        object::{Field, Form, count, optional, read_document, read_object, required},
        shorten,
    },
};

use super::{Capability, Constraint, Contract, Diagnostic, Facet, Plan, previous::read_previous};
use crate::{codes, guardrail::read_guardrails};

/// `{task, plan, capabilities, facets?, previous?}`.
#[derive(Clone, Debug)]
pub struct PlanCall<'a> {
    /// What is to be done.
    pub task: Task<'a>,
    /// How a planner would do it.
    pub plan: Plan<'a>,
    /// Who can do what; each id comes once.
    pub capabilities: Vec<Capability<'a>>,
    /// The parts that inputs and outputs are made of, if there is a catalog of them; each name comes once.
    pub facets: Option<Vec<Facet<'a>>>,
    /// The findings of an earlier answer for this task, if it is handed in.
    pub previous: Option<Vec<Diagnostic<'a>>>,
}

/// A task: what is to be done, and what must be true of the result.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The names of its inputs.
    pub inputs: Vec<&'a str>,
    /// What must be true of the result; the constraints of the contract come first, then those of the task itself.
    pub contract: Contract<'a>,
    /// How many variants the caller asks the planner for, each time it says so.
    pub variant_counts: Vec<u64>,
}

const CALL: &[Field] = &[
    required("task", Form::Object),
    required("plan", Form::Object),
    required("capabilities", Form::List),
    optional("facets", Form::List),
    optional("previous", Form::Object),
];

impl<'t> PlanCall<'t> {
    /// Reads a call.
    ///
    /// # Errors
    ///
    /// The first in document order, with a pointer that begins at the call; expressions are compiled where they stand.
    ///
    /// ```
    /// use adjudicate_core::{json::{self, Limits}, plan::PlanCall};
    /// let text = br#"{"task": {"objective": "write", "outputContract": {"schema": true}},
    ///     "plan": {"nodes": [{"nodeId": "a"}], "edges": [{"from": "a"}]}, "capabilities": []}"#;
    /// let tape = json::read(text, Limits::DOCUMENT)?;
    /// assert_eq!(PlanCall::read(tape.root()).unwrap_err().path(), "/plan/edges/0/to");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(value: Node<'t>) -> Result<Self, Error> {
        let patterns = &mut Steps::for_patterns();
        // What is required replaces these.
        let mut call = Self {
            task: Task { inputs: Vec::new(), contract: Contract::open(value), variant_counts: Vec::new() },
            plan: Plan { version: 1, nodes: Vec::new(), edges: Vec::new() },
            capabilities: Vec::new(),
            facets: None,
            previous: None,
        };
        read_document(value, CALL, &mut |at, member| {
            match at {
                0 => call.task.read(member, patterns)?,
                1 => call.plan.read(member, patterns)?,
                2 => call.capabilities = Capability::read_all(member, patterns)?,
                3 => call.facets = Some(Facet::read_all(member)?),
                _ => call.previous = Some(read_previous(member)?),
            }
            Ok(())
        })?;
        Ok(call)
    }
}

const TASK: &[Field] = &[
    required("objective", Form::Text),
    optional("inputs", Form::Object),
    required("outputContract", Form::Object),
    optional("policies", Form::Object),
    // 5.9.2 names them beside the contract.
    optional("constraints", Form::List),
    // What follows is for planners.
    optional("specialInstructions", Form::Lines),
    optional("metadata", Form::Object),
    optional("goal_condition", Form::Any),
];

const POLICIES: &[Field] = &[optional("planner", Form::Object), optional("runtime", Form::List)];

impl<'t> Task<'t> {
    fn read(&mut self, value: Node<'t>, patterns: &mut Steps) -> Result<(), Error> {
        let (mut ids, mut constraints) = (Once::default(), Vec::new());
        read_document(value, TASK, &mut |at, member| {
            match at {
                // Its names are data: none of them is an extension.
                1 => self.inputs = member.members().map(|(name, _)| name).collect(),
                2 => self.contract = Contract::read_beside(member, &mut ids, patterns)?,
                3 => self.read_policies(member, patterns)?,
                4 => constraints = Constraint::read_all(member, &mut ids, patterns)?,
                _ => {}
            }
            Ok(())
        })?;
        self.contract.constraints.append(&mut constraints);
        Ok(())
    }

    /// Guardrails are read for what is wrong with them, and for none to change the plan (5.9.5).
    fn read_policies(&mut self, value: Node<'t>, patterns: &mut Steps) -> Result<(), Error> {
        read_object(value, POLICIES, &mut |at, member| match at {
            0 => self.read_planner(member),
            _ => read_guardrails(member, patterns).map(drop),
        })
    }

    /// What a planner is told is between it and its caller, but for the number of variants.
    fn read_planner(&mut self, planner: Node<'t>) -> Result<(), Error> {
        for (name, member) in planner.members() {
            match name {
                "variantCount" => self.add_variant_count(member)?,
                "topology" => self.read_topology(member).map_err(|error| error.under("topology"))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_topology(&mut self, topology: Node<'t>) -> Result<(), Error> {
        let mut counts = topology.members().filter(|(name, _)| *name == "variantCount");
        counts.try_for_each(|(_, member)| self.add_variant_count(member))
    }

    fn add_variant_count(&mut self, value: Node<'t>) -> Result<(), Error> {
        let Some(count) = count(value) else {
            let message = format!("expected an integer of 0 or more, found {}", value.describe());
            return Err(Error::new(codes::INVALID_VALUE, message).under("variantCount"));
        };
        if !self.variant_counts.contains(&count) {
            self.variant_counts.push(count);
        }
        Ok(())
    }
}

/// Names of which each may come once.
#[derive(Debug, Default)]
pub(super) struct Once<'t>(BTreeSet<&'t str>);

impl<'t> Once<'t> {
    /// Notes a name, which a member holds.
    pub(super) fn note(&mut self, member: Node<'t>) -> Result<&'t str, Error> {
        let name = member.as_str().unwrap_or_default();
        if self.0.insert(name) {
            return Ok(name);
        }
        Err(Error::new(codes::INVALID_VALUE, format!("`{}` is there twice", shorten(name))))
    }
}
