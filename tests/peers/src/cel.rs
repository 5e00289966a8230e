//! CEL: the crates `cel` and `cel-interpreter`, its former name. Each rule is a program. The envelope is one variable:
//! of a context that is built once, or of an inner scope for each text.

use crate::{Failure, verdict::Verdict};

/// A rule a line: its name, and its condition.
const RULES: &str = include_str!("../rules/rules.cel");

/// The conditions, in the order of the rules.
fn conditions() -> impl Iterator<Item = Result<&'static str, Failure>> {
    let names = crate::verdict::RULES.into_iter().map(|(rule, _)| rule);
    RULES.lines().zip(names).map(|(line, name)| match line.split_once(": ") {
        Some((rule, condition)) if rule == name => Ok(condition),
        _ => Err(format!("not the rule `{name}`: {line}").into()),
    })
}

type CelContext<'p> = cel::Context<'p, 'static>;
type CelInterpreterContext<'p> = cel_interpreter::Context<'p>;

/// Both crates have the same interface.
macro_rules! rules {
    ($name:ident, $crate_name:ident, $context:ident) => {
        pub(crate) struct $name {
            programs: Vec<$crate_name::Program>,
            functions: $context<'static>,
        }

        impl $name {
            pub(crate) fn new() -> Result<Self, Failure> {
                let compile = |condition: Result<&str, Failure>| {
                    $crate_name::Program::compile(condition?).map_err(|error| error.to_string().into())
                };
                let programs = conditions().map(compile).collect::<Result<_, Failure>>()?;
                Ok(Self { programs, functions: $context::default() })
            }

            /// The envelope as a variable.
            pub(crate) fn prepare(&self, envelope: &str) -> Result<$context<'_>, Failure> {
                let data: serde_json::Value = serde_json::from_str(envelope)?;
                let mut context = self.functions.new_inner_scope();
                context.add_variable("input", data).map_err(|error| error.to_string())?;
                Ok(context)
            }

            pub(crate) fn decide(&self, context: &$context<'_>) -> Result<Verdict, Failure> {
                let mut verdict = Verdict::default();
                for (place, program) in self.programs.iter().enumerate() {
                    match program.execute(context) {
                        Ok($crate_name::Value::Bool(true)) => verdict.add(place),
                        Ok($crate_name::Value::Bool(false)) => {}
                        other => return Err(format!("rule {place}: {other:?}").into()),
                    }
                }
                Ok(verdict)
            }

            pub(crate) fn answer(&self, envelope: &str) -> Result<String, Failure> {
                Ok(self.decide(&self.prepare(envelope)?)?.text())
            }
        }
    };
}

rules!(Cel, cel, CelContext);
rules!(CelInterpreter, cel_interpreter, CelInterpreterContext);
