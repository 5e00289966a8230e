//! Measures the memory rows of docs/benchmarks.md, with calls of about 8 MiB that take much memory. The result of an
//! operation is its largest ratio: the most bytes that a call holds at once, divided by the bytes of its input. Prints
//! one flat JSON object on stdout, and each call on stderr.
//!
//! `memory [KIB [TEXT]]` measures calls of another size, and only those whose line contains the text.

use std::{collections::BTreeMap, env};

use adjudicate_tests::memory::{Amount, Counting, calls, composed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest size of inputs, minus the text around the list.
const SIZE: usize = (8 << 20) - 1024;

fn main() {
    let mut arguments = env::args().skip(1);
    let size = arguments.next().and_then(|kib| kib.parse::<usize>().ok()).map_or(SIZE, |kib| kib << 10);
    let text = arguments.next().unwrap_or_default();
    let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
    for call in calls(Amount::Bytes(size)) {
        let name = format!("{} of {}", call.operation.name(), call.name);
        if !name.contains(&text) {
            continue;
        }
        let (peak, answer) = call.peak();
        let ratio = peak as f64 / call.input.len() as f64;
        eprintln!("{ratio:5.1} times: {name}, {} KiB at most, {answer} bytes out", peak >> 10);
        let row = rows.entry(call.operation.name()).or_default();
        *row = row.max(ratio);
    }
    if let Ok((input, peak)) = composed(Amount::Bytes(size)) {
        rows.insert("composition", peak as f64 / input as f64);
    }
    let rows: Vec<String> =
        rows.iter().map(|(name, ratio)| format!("\"memory_{name}_times\":{ratio:.1}")).collect();
    println!("{{{}}}", rows.join(","));
}
