//! The hash of a plan, over the normative members in canonical JSON, and the `PlanStart` that carries it. Neither the order of
//! members nor members besides the normative ones change the hash.

use alloc::string::String;

use adjudicate_lang::json::{self, Limits, object::Members};

use super::{PlanIr, plan::Scope};
use crate::words::words;

words! {
    /// Which hash of a plan.
    HashMode {
        /// The confidence is the number that it is read as.
        Canonical = "canonical",
        /// The confidence was kept as a 32-bit float and widened to write it, as an older program did.
        SerdeF32Compat = "serde_f32_compat",
    }
}

impl PlanIr<'_> {
    /// The plan's hash: `sha256:` and the SHA-256 of its normative members in canonical JSON, the confidence always as a float.
    ///
    /// ```
    /// use adjudicate_core::{ir::{HashMode, PlanIr}, json::{self, Limits}};
    /// let text = br#"{"confidence": 0.7, "complexity": "low", "analysis": "", "steps": [], "x-note": "not hashed",
    ///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}}"#;
    /// let tape = json::read(text, Limits::DOCUMENT)?;
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
        self.write(Scope::Normative, confidence, &|_, _| None, &mut text);
        // What was just written can be read.
        json::read(text.as_bytes(), Limits::ANSWER)
            .map_or_else(|_| String::new(), |tape| json::digest(tape.root()))
    }

    /// The event that begins a log of the plan, ready to be logged: `{"event": "PlanStart", "plan_hash", "step_count"}`.
    ///
    /// ```
    /// use adjudicate_core::{ir::{HashMode, normalize}, json::{self, Limits}};
    /// let tape = json::read(br#"[{"id": "1", "action": "edit"}]"#, Limits::DOCUMENT)?;
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

    /// The same with a hash that is known already.
    pub(super) fn plan_start_with(&self, hash: &str) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.text("event", Some("PlanStart"));
        members.text("plan_hash", Some(hash));
        members.count("step_count", self.steps.len() as u64);
        members.close();
        out
    }
}
