//! Plan graphs of plans: the part that is known before capabilities are chosen.

use alloc::string::String;

use adjudicate_lang::json::{
    self,
    object::{ObjectWriter, write_list},
    write_string,
};

use super::{
    PlanIr, PlanStep,
    adapters::{VALIDATION, write_edges},
    plan::{WriteScope, write_extra},
};
use crate::documents::plan_ir::StepIntent;

impl PlanIr<'_> {
    /// The plan as a plan graph that `validate_plan` reads: a node for each step, an edge for each dependency.
    ///
    /// Each node has the step's id, and the description as its label. A step that verifies has the kind `validation`; other kinds
    /// follow from the capabilities that are chosen later. Fields that a graph does not have stand in `x-planir`, with all
    /// undeclared fields of the plan. Reading the graph as a plan restores ids, descriptions and dependencies.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanIr, json::{self, ReadLimits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "write it", "intent": "modify", "target_files": [], "depends_on": [], "max_iterations": 2},
    ///   {"id": "b", "description": "test it", "intent": "verify", "target_files": [], "depends_on": ["a"], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 0.5}"#;
    /// let tape = json::read(text, ReadLimits::DOCUMENT)?;
    /// assert_eq!(PlanIr::read(tape.root())?.to_plan_graph(), concat!(
    ///     r#"{"planVersion":1,"nodes":["#,
    ///     r#"{"nodeId":"a","label":"write it","x-planir":{"intent":"modify","target_files":[],"max_iterations":2}},"#,
    ///     r#"{"nodeId":"b","kind":"validation","label":"test it","#,
    ///     r#""x-planir":{"intent":"verify","target_files":[],"max_iterations":1}}],"#,
    ///     r#""edges":[{"from":"a","to":"b"}],"x-planir":{"analysis":"","verification_strategy":"#,
    ///     r#"{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5}}"#,
    /// ));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_plan_graph(&self) -> String {
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.json("planVersion", Some("1"));
        let write_node = |step: &PlanStep<'_>, out: &mut String| {
            let mut members = ObjectWriter::open(out);
            members.text("nodeId", Some(&step.id));
            members.text("kind", (step.intent == StepIntent::Verify).then_some(VALIDATION));
            members.text("label", Some(&step.description));
            members.part("x-planir", |out| {
                let mut members = ObjectWriter::open(out);
                members.text("intent", Some(step.intent.as_str()));
                members.part("target_files", |out| {
                    write_list(&step.target_files, out, |file, out| write_string(file, out));
                });
                members.count("max_iterations", u64::from(step.max_iterations));
                write_extra(&step.extra, WriteScope::Whole, &mut members);
                members.close();
            });
            members.close();
        };
        members.part("nodes", |out| write_list(&self.steps, out, write_node));
        let links = self.steps.iter().flat_map(|step| self.depends_on(step).map(|from| (from, step.id())));
        members.json("edges", Some(&write_edges(links.collect())));
        members.part("x-planir", |out| {
            let mut members = ObjectWriter::open(out);
            members.text("analysis", Some(self.analysis));
            members.part("verification_strategy", |out| self.verification.write(WriteScope::Whole, out));
            members.text("complexity", Some(self.complexity.as_str()));
            members.json("confidence", Some(&json::write(&self.confidence)));
            write_extra(&self.extra, WriteScope::Whole, &mut members);
            members.close();
        });
        members.close();
        out
    }
}
