//! `tests/schemas/operations.json`, which `cargo xtask generate` writes for `check.py` and tests in JavaScript: the
//! number, the schemas and an example of each operation, and whether it uses a policy.

use adjudicate_core::Operation;
use adjudicate_tests::generated::assert_current;

#[test]
fn the_table_for_python_is_that_of_operations() {
    let operations = Operation::ALL.iter().map(|operation| {
        let (name, number) = (operation.name(), operation.number());
        let (call, answer) = (operation.input(), operation.output());
        let (policy, example) = (operation.documents().contains(&"policy"), operation.example());
        format!(
            "  \"{name}\": {{\"number\": {number}, \"policy\": {policy}, \"call\": \"{call}\", \"answer\": \"{answer}\", \"example\": {example}}},\n"
        )
    });
    let composed = "  \"compose\": {\"answer\": \"composed-evaluation\"}";
    let table = format!("{{\n{}{composed}\n}}\n", operations.collect::<String>());
    assert_current("tests/schemas/operations.json", &table);
}
