//! An output that takes too much work.

use adjudicate_core::{codes, plan::observe_text};
use serde_json::json;

#[test]
fn an_output_that_takes_too_much_work_has_no_answer() {
    let items: Vec<u32> = (0..30_000).collect();
    let body = json!([{"expr": {"all": [{"var": "n"}, {"in": [{"var": ""}, items]}]}, "level": "hard"}]);
    let call = json!({"outputContract": {"schema": true, "constraints": body}, "output": {"n": items}});
    let error = observe_text(call.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
}
