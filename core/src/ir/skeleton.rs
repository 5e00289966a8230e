//! Plans as plan graphs: what of one is known before anybody says which capability does what.

use alloc::string::String;

use adjudicate_lang::json::{
    self,
    object::{Members, write_list},
    write_string,
};

use super::{
    Intent, PlanIr, PlanStep,
    adapters::{VALIDATION, write_edges},
    plan::{Scope, write_extra},
};

impl PlanIr<'_> {
    /// The plan as a plan graph of 5.9 that `validate_plan` reads: a node for each step, an edge for each dependency.
    ///
    /// A node has the step's id and its description as a label; a step that verifies is of the kind `validation`, and others
    /// get the kind of the capability that is chosen for them later, because plans do not name any. Members that a graph does not
    /// have stand in `x-planir`, together with all members of the plan that ADR-0009 does not declare. The graph read as a plan
    /// again has the same steps: ids, descriptions and dependencies.
    ///
    /// ```
    /// use adjudicate_core::{ir::PlanIr, json::{self, Limits}};
    /// let text = br#"{"analysis": "", "steps": [
    ///   {"id": "a", "description": "write it", "intent": "modify", "target_files": [], "depends_on": [], "max_iterations": 2},
    ///   {"id": "b", "description": "test it", "intent": "verify", "target_files": [], "depends_on": ["a"], "max_iterations": 1}
    /// ], "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
    /// "complexity": "low", "confidence": 0.5}"#;
    /// let tape = json::read(text, Limits::DOCUMENT)?;
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
        let mut members = Members::open(&mut out);
        members.json("planVersion", Some("1"));
        let write_node = |step: &PlanStep<'_>, out: &mut String| {
            let mut members = Members::open(out);
            members.text("nodeId", Some(&step.id));
            members.text("kind", (step.intent == Intent::Verify).then_some(VALIDATION));
            members.text("label", Some(&step.description));
            members.part("x-planir", |out| {
                let mut members = Members::open(out);
                members.text("intent", Some(step.intent.as_str()));
                members.part("target_files", |out| {
                    write_list(&step.target_files, out, |file, out| write_string(file, out));
                });
                members.count("max_iterations", u64::from(step.max_iterations));
                write_extra(&step.extra, Scope::Whole, &mut members);
                members.close();
            });
            members.close();
        };
        members.part("nodes", |out| write_list(&self.steps, out, write_node));
        let links = self.steps.iter().flat_map(|step| self.depends_on(step).map(|from| (from, step.id())));
        members.json("edges", Some(&write_edges(links.collect())));
        members.part("x-planir", |out| {
            let mut members = Members::open(out);
            members.text("analysis", Some(self.analysis));
            members.part("verification_strategy", |out| self.verification.write(Scope::Whole, out));
            members.text("complexity", Some(self.complexity.as_str()));
            members.json("confidence", Some(&json::write(&self.confidence)));
            write_extra(&self.extra, Scope::Whole, &mut members);
            members.close();
        });
        members.close();
        out
    }
}
