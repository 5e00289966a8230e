//! The types of operations.

use adjudicate_core::Operation;

use super::{
    comment::comment,
    forms, row,
    types::Usage,
    writer::{Writer, type_of},
};

/// Declares the operations, their inputs and their answers.
pub(super) fn write(writer: &mut Writer) {
    forms::others(writer);
    let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    writer.union("The name of an operation.", &[], "OperationName", &names);
    let inputs = fields(|operation| operation.input(), Usage::INPUT);
    writer.declare("The inputs of the operations.", &[], &format!("interface Calls {{\n{inputs}}}"));
    let answers = fields(|operation| operation.output(), Usage::ANSWER);
    writer.declare("The answers of the operations.", &[], &format!("interface Answers {{\n{answers}}}"));
}

fn fields(document: fn(Operation) -> &'static str, usage: Usage) -> String {
    let line = |operation: &Operation| {
        let about = comment(row(document(*operation)).about, &[], "    ");
        format!(
            "{about}    {}: {};\n",
            operation.name(),
            type_of(&(row(document(*operation)).describe)(), usage)
        )
    };
    Operation::ALL.iter().map(line).collect()
}
