//! `tests/schemas/operations.json`, which `cargo xtask generate` writes for `check.py`: the schemas of each operation.

use adjudicate_core::Operation;
use adjudicate_tests::generated::assert_current;

#[test]
fn the_table_for_python_is_that_of_operations() {
    let operations = Operation::ALL.iter().map(|operation| {
        let (name, call, answer) = (operation.name(), operation.input(), operation.output());
        format!("  \"{name}\": {{\"call\": \"{call}\", \"answer\": \"{answer}\"}},\n")
    });
    let composed = "  \"compose\": {\"answer\": \"composed-evaluation\"}";
    let table = format!("{{\n{}{composed}\n}}\n", operations.collect::<String>());
    assert_current("tests/schemas/operations.json", &table);
}
