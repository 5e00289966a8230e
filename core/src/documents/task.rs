//! The documents by which a plan is judged (docs/reference/plans.md): the call and the task.
//!
//! Only shapes are checked here. Mistakes of a planner are read, because validators report them.

use alloc::vec::Vec;

use adjudicate_lang::{
    document::{Distinct, Document, IfObject, Notes, Object, Reader, Shape},
    json::{Node, Nullable},
};

use super::{
    Capability, Constraint, Contract, Facet, Guardrail, Plan, contract::note_repeated, previous::Previous,
};

/// A call of `validate_plan`.
///
/// ```
/// use adjudicate_core::{document, documents::PlanCall, json::{self, ReadLimits}};
/// let text = br#"{"task": {"objective": "write", "outputContract": {"schema": true}},
///     "plan": {"nodes": [{"nodeId": "a"}], "edges": [{"from": "a"}]}, "capabilities": []}"#;
/// let tape = json::read(text, ReadLimits::DOCUMENT)?;
/// assert_eq!(document::read::<PlanCall<'_>>(tape.root()).unwrap_err().path(), "/plan/edges/0/to");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, Document)]
#[document(name = "ValidatePlanCall", expecting = "an object", root)]
pub struct PlanCall<'a> {
    /// The task.
    pub task: Task<'a>,
    /// The plan for the task.
    pub plan: Plan<'a>,
    /// The capabilities that nodes of the plan can use.
    pub capabilities: Distinct<Capability<'a>>,
    /// The catalog of facets, the parts of inputs and outputs. Without a catalog, each facet is a field of the same name.
    pub facets: Option<Distinct<Facet<'a>>>,
    /// The payload of an earlier answer for this task. With it, an accepted plan gives the event `plan_updated`.
    pub previous: Option<Previous<'a>>,
}

/// A task, as validators see it.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The names of its inputs.
    pub inputs: Vec<&'a str>,
    /// The contract of the result. The constraints of the task stand behind those of the contract.
    pub contract: Contract<'a>,
    /// The numbers of variants that the task asks for, each once.
    pub variant_counts: Vec<u64>,
}

/// A task: the objective, and the contract of its result.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", root, name = "TaskEnvelope")]
pub struct TaskDocument<'a> {
    /// The objective, for example `two LinkedIn posts for the launch`.
    pub objective: &'a str,
    /// The inputs by name: any values.
    pub inputs: Option<Object<'a>>,
    /// The contract of the result.
    pub output_contract: Contract<'a>,
    /// Policies for the planner and for the run.
    pub policies: Option<TaskPolicies<'a>>,
    /// More constraints on the result.
    #[serde(default)]
    pub constraints: Distinct<Constraint<'a>>,
    /// Instructions for the planner.
    pub special_instructions: Option<Notes<'a>>,
    /// Any fields, for the planner.
    pub metadata: Option<Object<'a>>,
    /// Any value, for the planner.
    #[serde(rename = "goal_condition")]
    pub goal_condition: Option<Node<'a>>,
}

/// The policies of a task.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object")]
pub struct TaskPolicies<'a> {
    /// The policy for the planner.
    pub planner: Option<PlannerPolicy>,
    /// The guardrails of the run. They are only checked here: none of them may change the plan.
    #[serde(default)]
    pub runtime: Distinct<Guardrail<'a>>,
}

/// The policy for the planner: any fields. The engine reads the number of variants.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", carried)]
pub struct PlannerPolicy {
    /// The number of variants that the planner must produce, for example `2`.
    pub variant_count: Option<u64>,
    /// The topology of the plan: any value. If it is an object, the engine reads the number of variants.
    #[serde(default)]
    pub topology: Nullable<IfObject<Topology>>,
}

/// A topology that is an object.
#[derive(Clone, Copy, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "PlannerTopology", expecting = "an object", carried)]
pub struct Topology {
    /// The number of variants that the planner must produce, for example `2`.
    pub variant_count: Option<u64>,
}

impl<'t: 'a, 'a> Document<'t> for Task<'a> {
    const SHAPE: Shape = TaskDocument::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let task = TaskDocument::read(node, reader)?;
        let contract = (&task.output_contract.constraints, "/outputContract/constraints");
        let own = (&task.constraints, "/constraints");
        let first = node.members().find(|(name, _)| matches!(*name, "outputContract" | "constraints"));
        let (earlier, (later, path)) = match first {
            Some(("constraints", _)) => (own.0, contract),
            _ => (contract.0, own),
        };
        note_repeated(earlier, later, path, reader);
        Some(task.into())
    }
}

impl<'a> From<TaskDocument<'a>> for Task<'a> {
    fn from(task: TaskDocument<'a>) -> Self {
        let mut contract = task.output_contract;
        contract.constraints.0.extend(task.constraints.0);
        let inputs = task.inputs.map(|Object(inputs)| inputs.members().map(|(name, _)| name).collect());
        let planner = task.policies.and_then(|policies| policies.planner);
        let counts = planner.map(|planner| {
            [planner.variant_count, planner.topology.0.and_then(|topology| topology.0?.variant_count)]
        });
        let mut variant_counts: Vec<u64> = counts.into_iter().flatten().flatten().collect();
        variant_counts.dedup();
        Self { inputs: inputs.unwrap_or_default(), contract, variant_counts }
    }
}
