//! The memory that a call of a slot may take.

use super::registry::Slots;

impl Slots {
    /// Bytes that a call of a slot may take in addition to its input: the memory of one instance and the answer of each module.
    /// Modules are called one by one, so one instance counts. `None` for a slot that is not open.
    #[must_use]
    pub fn call_bytes(&self, slot: &str) -> Option<usize> {
        let entry = self.inner.find(slot)?.route.load().entry.clone();
        let limits = entry.settings.limits(self.loader().host.limits());
        let compositions =
            entry.state.active.iter().chain(entry.state.canary.iter().map(|canary| &canary.composition));
        let modules = compositions.map(|composition| composition.members().count()).max().unwrap_or_default();
        // The composed answer is one more, and the shadow may run at the same time.
        let answers = limits.output_bytes.saturating_mul(modules + 1);
        let one = limits.memory_bytes.saturating_add(answers);
        Some(one.saturating_mul(if entry.state.shadow.is_some() { 2 } else { 1 }))
    }
}
