//! A kernel that runs a small workflow, and asks a slot at each EVALUATE what comes next.
//!
//! ```text
//! cargo xtask build                                    # the engine: target/artifacts/engine.wasm
//! cargo run -p adjudicate-host --example kernel
//! ```
//!
//! The workflow is a script: build, test (which fails at first), fix, publish. Nothing in the kernel knows when it is done: the
//! evidence goes to the slot, and the slot's answer names the next step. In the middle of the run somebody declares a
//! change freeze: a second module, which restricts whatever the engine decides, is put in force while the kernel
//! runs. Later the freeze is lifted by a rollback. The kernel is not rebuilt, restarted, or even told.

#![expect(clippy::indexing_slicing, reason = "of a JSON value, what is not there is null")]

use std::{error::Error, fs, path::Path};

use adjudicate_core::Operation;
use adjudicate_host::{
    Composition, Slot, SlotSettings, Slots, Store, Terms, Why,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::{Host, Settings, manifest};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let engine = std::env::args().nth(1).unwrap_or_else(|| "target/artifacts/engine.wasm".to_owned());
    let engine = fs::read(&engine).map_err(|error| {
        format!("cannot read `{engine}`: {error}; `cargo xtask build` makes it, or name another file")
    })?;
    let directory = tempfile::tempdir()?;
    let operator = Operator::new(&directory.path().join("store"), &engine)?;

    let mut kernel = Kernel::new(operator.slots.slot("release")?);
    while let Some(step) = kernel.step.clone() {
        kernel.run(&step)?;
        // What happens elsewhere meanwhile.
        match (step.as_str(), kernel.evaluations) {
            ("test", 1) => operator.declare_freeze()?,
            ("test", 2) => operator.lift_freeze()?,
            _ => {}
        }
    }
    println!("\nWhat the slot's history says:");
    for entry in kernel.slot.history(10)?.iter().rev() {
        println!("  {:>2}  {:<10} {}", entry.id, entry.action.as_str(), entry.note);
    }
    let (_, records) = kernel.slot.store().verify_records("release", &[])?;
    println!("{records} decisions are on record, and none was changed since.");
    Ok(())
}

/// Runs steps, keeps what they left behind, and goes where the slot says.
struct Kernel {
    slot: Slot,
    /// What is to be done next; nothing more when the run is over.
    step: Option<String>,
    /// The output of `cargo test`, as far as this kernel cares.
    exit_code: i64,
    /// What evaluations came to, for the next one to see.
    history: Vec<Value>,
    evaluations: u32,
}

impl Kernel {
    fn new(slot: Slot) -> Self {
        Self { slot, step: Some("test".to_owned()), exit_code: 0, history: Vec::new(), evaluations: 0 }
    }

    /// Executes one step of the script.
    fn run(&mut self, step: &str) -> Result<(), Box<dyn Error>> {
        println!("{step}");
        self.step = match step {
            "test" => {
                // The first time, a test fails.
                self.exit_code = if self.evaluations == 0 { 101 } else { 0 };
                self.evaluate()?
            }
            "fix_findings" | "ask_release_manager" => Some("test".to_owned()),
            "publish" => None,
            other => return Err(format!("the workflow has no step `{other}`").into()),
        };
        Ok(())
    }

    /// EVALUATE: hands the evidence to whatever is in force in the slot, and takes the next step from its answer.
    fn evaluate(&mut self) -> Result<Option<String>, Box<dyn Error>> {
        self.evaluations += 1;
        let call = json!({"envelope": self.envelope(), "policy": workflow_policy()});
        let decided = self.slot.call(Operation::Evaluate, call.to_string().as_bytes())?;
        let answer: Value = serde_json::from_str(&decided.text)?;
        let decision = &answer["decision"];
        let next = decision["next_step"].as_str();
        println!(
            "  EVALUATE {}: {}, next {}   ({} module(s), entry {})",
            self.evaluations,
            decision["status"].as_str().unwrap_or("?"),
            next.unwrap_or("nothing"),
            decided.modules.len(),
            decided.entry
        );
        for finding in answer["findings"].as_array().into_iter().flatten() {
            println!("    {}", finding["summary"].as_str().unwrap_or("?"));
        }
        self.history.push(json!({
            "step_id": "evaluate", "opcode": "EVALUATE", "status": decision["status"], "diff_summary": "",
            "risk_flags": decision["risk_flags"], "blocker_codes": []
        }));
        Ok(next.map(str::to_owned))
    }

    /// What was done and found so far, typed.
    fn envelope(&self) -> Value {
        json!({
            "run_id": "run-1", "workflow_id": "release", "step_id": "evaluate", "evaluate_prompt": "release.v1",
            "allowed_next_steps": ["publish", "fix_findings", "ask_release_manager"],
            "provenance_window": [],
            "evaluate_history": self.history,
            "evidence": {
                "transcript_summary": "",
                "workspace_diff_summary": " M src/lib.rs\n",
                "validation": {
                    "mechanical_outcome": "completed", "exit_codes": {"cargo-test": self.exit_code}, "timeouts": []
                },
                "artifacts": ["target/cargo-test.log"], "policy_events": []
            }
        })
    }
}

/// Which step of the workflow a person is asked in.
fn workflow_policy() -> Value {
    json!({
        "policy": "release-workflow", "version": "1.0.0",
        "required_validators": ["cargo-test"],
        "routes": {"gate": ["ask_release_manager"]}
    })
}

/// Whoever is responsible for what is in force. In earnest another process, or another person.
struct Operator {
    slots: Slots,
    slot: Slot,
    frozen: Composition,
}

impl Operator {
    /// Makes a store that accepts what its key signed, with the engine in force, and the freeze at hand.
    fn new(directory: &Path, engine: &[u8]) -> Result<Self, Box<dyn Error>> {
        let store = Store::open(directory)?;
        let host = Host::new(Settings { cache: Some(store.cache()?), ..Settings::default() })?;
        let slots = Slots::open(store, host)?;

        let key = SecretKey::generate()?;
        let trust = json!({"keys": [{"name": "release managers", "public_key": key.public().to_string()}]});
        slots.set_trust(None, &trust.to_string())?;
        let install = |module: &[u8]| -> Result<_, Box<dyn Error>> {
            Ok(slots.install(&sign(module, &key)?, &Terms::default())?.module.digest)
        };
        let (engine, freeze) = (install(engine)?, install(&change_freeze()?)?);

        // If a module fails, the run stops; after three faults in a hundred calls, from distinct inputs, the slot rolls back.
        let settings =
            br#"{"on_fault": "fail_closed", "rollback": {"faults": 3, "calls": 100}, "records": {}}"#;
        let slot =
            slots.create("release", SlotSettings::parse(settings)?, &Why::note("a slot for releases"))?;
        let frozen = Composition::of(engine).restricted_by(freeze);
        slot.activate(Composition::of(engine), &Why::note("the engine decides"))?;
        Ok(Self { slots, slot, frozen })
    }

    fn declare_freeze(&self) -> Result<(), Box<dyn Error>> {
        println!("  -- elsewhere, a change freeze is put in force");
        self.slot.activate(self.frozen.clone(), &Why::note("change freeze: nothing ships today"))?;
        Ok(())
    }

    fn lift_freeze(&self) -> Result<(), Box<dyn Error>> {
        println!("  -- elsewhere, the freeze is lifted");
        self.slot.rollback(None, &Why::note("the freeze is over"))?;
        Ok(())
    }
}

/// A policy module in plain WebAssembly: whatever it is asked, a person has to look.
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
    // A reply is an address and a length, in memory at 16; the answer itself begins at 32.
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
