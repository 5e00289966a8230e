//! The hash of a plan, over its normative fields in canonical JSON, and the `PlanStart` that carries it. The order of fields and
//! any other fields do not change the hash.

use alloc::string::String;

use adjudicate_lang::json::{self, ReadLimits, object::ObjectWriter};

use super::{PlanIr, plan::WriteScope};
use crate::documents::plan_ir::HashMode;

impl PlanIr<'_> {
    /// The plan's hash: `sha256:` and the SHA-256 of its normative fields in canonical JSON, with the confidence as a float.
    ///
    /// ```
    /// use adjudicate_core::{ir::{HashMode, PlanIr}, json::{self, ReadLimits}};
    /// let text = br#"{"confidence": 0.7, "complexity": "low", "analysis": "", "steps": [], "x-note": "not hashed",
    ///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}}"#;
    /// let tape = json::read(text, ReadLimits::DOCUMENT)?;
    /// let plan = PlanIr::read(tape.root())?;
    /// let hash = plan.plan_hash(HashMode::Canonical);
    /// assert_eq!(hash, "sha256:e3f0569b5e15e0b43b94093c4d84702ce3f78c309075b2b62fe7fbb5cdc70e94");
    /// // 0.7 is 0.699999988079071 where it went through 32 bits.
    /// assert_eq!(plan.plan_hash(HashMode::SerdeF32Compat), "sha256:edb6fd1e9f89125ab6bf75176890cdf9b6f76b634c82e51edd92edb89ba3231f");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn plan_hash(&self, mode: HashMode) -> String {
        let confidence = match mode {
            HashMode::Canonical => self.confidence,
            // Rounds once, half to even; widening is exact.
            HashMode::SerdeF32Compat => f64::from(self.confidence as f32),
        };
        let mut text = String::new();
        self.write(WriteScope::Normative, confidence, &|_, _| None, &mut text);
        // Text written by the engine always parses.
        json::read(text.as_bytes(), ReadLimits::ANSWER)
            .map_or_else(|_| String::new(), |tape| json::digest(tape.root()))
    }

    /// The event that begins a log of the plan, ready to be logged: `{"event": "PlanStart", "plan_hash", "step_count"}`.
    ///
    /// ```
    /// use adjudicate_core::{ir::{HashMode, normalize}, json::{self, ReadLimits}};
    /// let tape = json::read(br#"[{"id": "1", "action": "edit"}]"#, ReadLimits::DOCUMENT)?;
    /// let normalized = normalize(tape.root(), None)?;
    /// let event = normalized.plan().plan_start(HashMode::Canonical);
    /// assert!(event.starts_with(r#"{"event":"PlanStart","plan_hash":"sha256:"#));
    /// assert!(event.ends_with(r#"","step_count":1}"#));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn plan_start(&self, mode: HashMode) -> String {
        self.plan_start_with(&self.plan_hash(mode))
    }

    /// The same for a hash that is already known.
    pub(super) fn plan_start_with(&self, hash: &str) -> String {
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.text("event", Some("PlanStart"));
        members.text("plan_hash", Some(hash));
        members.count("step_count", self.steps.len() as u64);
        members.close();
        out
    }
}
