//! What a call of a slot may take of the memory.

use super::registry::Slots;

impl Slots {
    /// Bytes that a call of a slot may take beside its input: the memory of one instance, for modules are asked one after the other, and
    /// the answer of each. `None` for a slot that was not asked for yet.
    #[must_use]
    pub fn call_bytes(&self, slot: &str) -> Option<usize> {
        let entry = self.inner.find(slot)?.route.load().entry.clone();
        let limits = entry.settings.limits(self.loader().host.limits());
        let compositions =
            entry.state.active.iter().chain(entry.state.canary.iter().map(|canary| &canary.composition));
        let modules = compositions.map(|composition| composition.members().count()).max().unwrap_or_default();
        // One more answer, for what they are composed to, and the shadow may be asked at the same time.
        let answers = limits.output_bytes.saturating_mul(modules + 1);
        let one = limits.memory_bytes.saturating_add(answers);
        Some(one.saturating_mul(if entry.state.shadow.is_some() { 2 } else { 1 }))
    }
}
