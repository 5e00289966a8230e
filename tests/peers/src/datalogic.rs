//! datalogic-rs: the conditions compiled once, the data in its own arena, results that borrow from it.

use bumpalo::Bump;
use datalogic_rs::{DataValue, Engine, Logic, ParsedData};

use crate::{Failure, ours, verdict::Verdict};

pub(crate) struct DatalogicRules {
    engine: Engine,
    logic: Vec<Logic>,
}

impl DatalogicRules {
    pub(crate) fn new() -> Result<Self, Failure> {
        let engine = Engine::new();
        let compile = |rule: String| engine.compile(rule.as_str()).map_err(Failure::from);
        let logic = ours::conditions()?.into_iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { engine, logic })
    }

    pub(crate) fn decide(&self, data: &ParsedData, arena: &mut Bump) -> Result<Verdict, Failure> {
        arena.reset();
        self.judge(data.value(), arena)
    }

    pub(crate) fn answer(&self, envelope: &str, arena: &mut Bump) -> Result<String, Failure> {
        arena.reset();
        let data = arena.alloc(DataValue::from_str(envelope, arena)?);
        Ok(self.judge(data, arena)?.text())
    }

    fn judge<'a>(&'a self, data: &'a DataValue<'a>, arena: &'a Bump) -> Result<Verdict, Failure> {
        let mut verdict = Verdict::default();
        for (place, rule) in self.logic.iter().enumerate() {
            if self.engine.evaluate(rule, data, arena)?.as_bool() == Some(true) {
                verdict.add(place);
            }
        }
        Ok(verdict)
    }
}
