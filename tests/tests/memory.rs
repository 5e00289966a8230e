//! The memory of each operation is bounded by its input (SPEC section 18.9), counted in bytes. A binary of its own, because its
//! allocator counts.

use adjudicate_tests::memory::{Counting, calls, most, peak};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How large the inputs are: small enough to be tried without optimisation.
const SIZE: usize = 1 << 20;

#[test]
fn no_call_takes_more_than_24_times_its_input_and_64_mib() {
    let mut over = Vec::new();
    for call in calls(SIZE) {
        let began = std::time::Instant::now();
        let (answer, peak) = peak(|| call.operation.call(call.input.as_bytes()));
        let peak = peak + call.input.len();
        let told = match &answer {
            Ok(answer) => format!("{} bytes", answer.len()),
            Err(error) => format!("{} at {}", error.code().as_str(), error.path()),
        };
        let line = format!(
            "{} of {}: {} KiB in, {} KiB at most ({} times), {told}",
            call.operation.name(),
            call.name,
            call.input.len() >> 10,
            peak >> 10,
            peak / call.input.len()
        );
        println!("{line} {:?}", began.elapsed());
        if peak > most(call.input.len()) {
            over.push(line);
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}
