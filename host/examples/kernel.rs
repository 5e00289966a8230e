//! A program that runs agents through a small workflow. After each step it calls a slot, and the slot's answer names the next
//! step.
//!
//! ```text
//! cargo xtask build                                    # the engine: target/artifacts/engine.wasm
//! cargo run -p adjudicate-host --example kernel
//! cargo run -p adjudicate-host --example kernel target/artifacts/engine.wasm 2    # the first fix does not help
//! ```
//!
//! The workflow is a script: test (which fails at first), fix, publish. The program does not know when the work is done: it sends
//! the evidence to the slot, and the answer names the next step. A `Run` keeps the earlier evaluations, so the evaluator notices
//! a check that fails again.
//!
//! During the run an operator declares a change freeze: a second module, which restricts the decisions of the engine, becomes
//! active. Later a rollback lifts the freeze. The program is not rebuilt, restarted or notified.

use std::{error::Error, fs, path::Path};

use adjudicate_core::{
    Run,
    evaluate::{Opcode, Outcome},
    owned::{Entry, Envelope, Evidence, Validation},
};
use adjudicate_host::{
    ChangeReason, Composition, InstallOptions, Slot, SlotSettings, Slots, Store,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Host, HostSettings, manifest};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let engine = arguments.next().unwrap_or_else(|| "target/artifacts/engine.wasm".to_owned());
    let failures: u32 = arguments.next().map_or(Ok(1), |failures| failures.parse())?;
    let engine = fs::read(&engine).map_err(|error| {
        format!("cannot read `{engine}`: {error}; `cargo xtask build` makes it, or name another file")
    })?;
    let directory = tempfile::tempdir()?;
    let operator = Operator::new(&directory.path().join("store"), &engine)?;

    let mut kernel = Kernel::new(operator.slots.slot("release")?, failures);
    while let Some(step) = kernel.step.clone() {
        kernel.run(&step)?;
        // Events outside of the program.
        match (step.as_str(), kernel.evaluations) {
            ("test", evaluations) if evaluations == failures => operator.declare_freeze()?,
            ("test", evaluations) if evaluations == failures + 1 => operator.lift_freeze()?,
            _ => {}
        }
    }
    println!("\nWhat the slot's history says:");
    for entry in kernel.slot.history(10)?.iter().rev() {
        println!("  {:>2}  {:<10} {}", entry.id, entry.action, entry.note);
    }
    let (_, records) = kernel.slot.store().verify_records("release", &[])?;
    println!("{records} calls are on record, and none was changed since.");
    Ok(())
}

/// Runs steps and follows the next steps of the slot.
struct Kernel {
    slot: Slot,
    /// The steps so far, for the evaluator.
    run: Run,
    /// The step to do; `None` when the run is over.
    step: Option<String>,
    /// The number of times that `cargo test` fails.
    failures: u32,
    evaluations: u32,
}

impl Kernel {
    fn new(slot: Slot, failures: u32) -> Self {
        let run = Run::new(Envelope {
            run_id: "run-1".into(),
            workflow_id: "release".into(),
            step_id: "evaluate".into(),
            evaluate_prompt: "release.v1".into(),
            allowed_next_steps: ["publish", "fix_findings", "ask_release_manager"].map(Into::into).into(),
            ..Envelope::default()
        });
        Self { slot, run, step: Some("test".to_owned()), failures, evaluations: 0 }
    }

    /// Executes one step of the script.
    fn run(&mut self, step: &str) -> Result<(), Box<dyn Error>> {
        println!("{step}");
        let (opcode, next) = match step {
            "test" => (Opcode::RunValidation, "evaluate"),
            "fix_findings" => (Opcode::RunAgent, "test"),
            "ask_release_manager" => (Opcode::Gate, "test"),
            "publish" => (Opcode::RunAgent, ""),
            other => return Err(format!("the workflow has no step `{other}`").into()),
        };
        self.run.record(Entry::ran(step, opcode, Outcome::Completed));
        self.step = match next {
            "evaluate" => self.evaluate()?,
            "" => None,
            next => Some(next.to_owned()),
        };
        Ok(())
    }

    /// Sends the evidence to the active modules of the slot, and takes the next step from their answer.
    fn evaluate(&mut self) -> Result<Option<String>, Box<dyn Error>> {
        self.evaluations += 1;
        let envelope = self.run.envelope(self.evidence());
        let decided = self.slot.evaluate(&envelope, Some(WORKFLOW_POLICY))?;
        let revision = self.slot.refine(&envelope, Some(WORKFLOW_POLICY))?;
        let (evaluation, decision) = (&decided.answer, &decided.answer.decision);
        println!(
            "  EVALUATE {}: {}, next {}   ({} module(s), entry {})",
            self.evaluations,
            decision.status,
            decision.next_step.as_deref().unwrap_or("nothing"),
            decided.modules.len(),
            decided.entry
        );
        for finding in &evaluation.findings {
            println!("    {}", finding.summary);
        }
        if let Some(raised) = &evaluation.loop_state.escalation {
            println!("    `{}` raised the status from {}", raised.reason, raised.from);
        }
        self.run.take(evaluation, &revision.answer);
        Ok(decision.next_step.clone())
    }

    /// The result of `cargo test`, reduced to the parts that this program needs.
    fn evidence(&self) -> Evidence {
        let exit_code = if self.evaluations <= self.failures { 101 } else { 0 };
        Evidence {
            workspace_diff_summary: " M src/lib.rs\n".into(),
            validation: Validation {
                mechanical_outcome: Outcome::Completed,
                exit_codes: [("cargo-test".into(), exit_code)].into(),
                ..Validation::default()
            },
            artifacts: vec!["target/cargo-test.log".into()],
            ..Evidence::default()
        }
    }
}

/// Names the step of the workflow that asks a human.
const WORKFLOW_POLICY: &str = r#"{
    "policy": "release-workflow", "version": "1.0.0",
    "required_validators": ["cargo-test"],
    "routes": {"gate": ["ask_release_manager"]}
}"#;

/// The operator of the slot. In production, another process or a human.
struct Operator {
    slots: Slots,
    slot: Slot,
    frozen: Composition,
}

impl Operator {
    /// Creates a store that accepts modules signed with its key, with the engine active and the freeze installed.
    fn new(directory: &Path, engine: &[u8]) -> Result<Self, Box<dyn Error>> {
        let store = Store::open(directory)?;
        let host = Host::new(HostSettings { cache: Some(store.cache()?), ..HostSettings::default() })?;
        let slots = Slots::open(store, host)?;

        let key = SecretKey::generate()?;
        let trust = json!({"keys": [{"name": "release managers", "public_key": key.public().to_string()}]});
        slots.set_trust(None, &trust.to_string())?;
        let install = |module: &[u8]| -> Result<_, Box<dyn Error>> {
            Ok(slots.install(&sign(module, &key)?, &InstallOptions::default())?.module.digest)
        };
        let (engine, freeze) = (install(engine)?, install(&change_freeze()?)?);

        // If a module fails, the run stops; after three faults in a hundred calls, from distinct inputs, the slot rolls back.
        let settings =
            br#"{"on_fault": "fail_closed", "rollback": {"faults": 3, "calls": 100}, "records": {}}"#;
        let slot = slots.create(
            "release",
            SlotSettings::parse(settings)?,
            &ChangeReason::note("a slot for releases"),
        )?;
        let frozen = Composition::new(engine).restricted_by(freeze);
        slot.activate(Composition::new(engine), &ChangeReason::note("the engine decides"))?;
        Ok(Self { slots, slot, frozen })
    }

    fn declare_freeze(&self) -> Result<(), Box<dyn Error>> {
        println!("  -- elsewhere, a change freeze is put in force");
        self.slot.activate(self.frozen.clone(), &ChangeReason::note("change freeze: nothing ships today"))?;
        Ok(())
    }

    fn lift_freeze(&self) -> Result<(), Box<dyn Error>> {
        println!("  -- elsewhere, the freeze is lifted");
        self.slot.rollback(None, &ChangeReason::note("the freeze is over"))?;
        Ok(())
    }
}

/// A policy module in WebAssembly text. Its decision always requires human review.
fn change_freeze() -> Result<Vec<u8>, Box<dyn Error>> {
    let answer = json!({"ok": {
        "decision": {
            "status": "needs_human", "next_step": null, "fix_instructions": null, "blockers": [],
            "risk_flags": ["change_freeze"]
        },
        "findings": [{
            "rule": "frozen", "status": "needs_human", "flag": "change_freeze", "severity": "medium",
            "summary": "changes are frozen", "evidence_ref": "",
            "resolution": {"kind": "needs_approval", "hint": "ask a release manager"}
        }],
        "loop": {
            "consecutive_partials": 0, "review_completed": false,
            "refinement": {"cap": 1, "spent": 0, "requested": false}, "escalation": null
        },
        "policy": null
    }})
    .to_string();
    // The reply record in memory at 16 has an address and a length. The answer begins at 32.
    let escaped: String = answer.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let length: String =
        u32::try_from(answer.len())?.to_le_bytes().map(|byte| format!("\\{byte:02x}")).concat();
    let module = wat::parse_str(format!(
        r#"(module
            (memory (export "memory") 2 2)
            (data (i32.const 16) "\20\00\00\00{length}")
            (data (i32.const 32) "{escaped}")
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param $len i32) (result i32)
                (select (i32.const 65536) (i32.const 0) (i32.le_u (local.get $len) (i32.const 65536))))
            (func (export "adjudicate_call") (param $op i32) (param $ptr i32) (param $len i32) (result i32)
                (i32.const 16)))"#
    ))?;
    let manifest = json!({"abi": 1, "name": "change-freeze", "version": "1.0.0", "operations": ["evaluate"]});
    Ok(manifest::append(&module, &manifest.to_string())?)
}
