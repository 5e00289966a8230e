//! Size reduction of a snapshot: drops unreachable functions and zeros.
//!
//! The snapshot is configured already and cannot be configured again, so the code for it goes. A function that no export and no
//! table reaches becomes a single trap and keeps its number. Data becomes few runs of bytes, without the zeros that memory starts
//! with.

use std::collections::BTreeSet;

use adjudicate_core::Error;
use wasmparser::{
    CodeSectionReader, ConstExpr, Data, DataKind, DataSectionReader, ElementItems, ElementSectionReader,
    ExternalKind, FunctionBody, Operator, Parser, Payload,
};

use super::sections::{self, Section};
use crate::manifest::leb128;

/// Numbers of sections in the binary format.
const CODE: u8 = 10;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// Approximate overhead of a run of data: a flag, an address, a length. Shorter runs of zeros are written out.
const RUN: usize = 8;

/// The largest number of runs. Engines and browsers accept 100,000.
const MAX_RUNS: usize = 50_000;

/// A function body without locals that traps.
const TRAP: &[u8] = &[3, 0, 0x00, 0x0b];

/// Returns a smaller module with the same behavior for every caller.
///
/// # Errors
///
/// [`module_malformed`](crate::codes::MODULE_MALFORMED) if the module cannot be read.
pub(super) fn leaner(module: &[u8]) -> Result<Vec<u8>, Error> {
    let all = sections::all(module)?;
    let called = ReachableFunctions::find(module)?;
    // Without a data count section, no instruction can name a segment. Then segments that are not placed at the start are never
    // used.
    let data_is_named = all.iter().any(|section| section.id == DATA_COUNT);
    let mut out = module.get(..8).unwrap_or_default().to_vec();
    for Section { id, whole, .. } in all {
        match id {
            CODE => sections::push(&mut out, id, &code(module, &called)?),
            DATA if !data_is_named => match data(module)? {
                Some(data) => sections::push(&mut out, id, &data),
                None => out.extend(whole),
            },
            _ => out.extend(whole),
        }
    }
    Ok(out)
}

/// The reachable functions.
struct ReachableFunctions {
    functions: BTreeSet<u32>,
}

impl ReachableFunctions {
    fn find(module: &[u8]) -> Result<Self, Error> {
        let (mut pending, mut bodies) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload.map_err(sections::unreadable)? {
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.map_err(sections::unreadable)?;
                        pending.extend((export.kind == ExternalKind::Func).then_some(export.index));
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        named(&global.map_err(sections::unreadable)?.init_expr, &mut pending)?;
                    }
                }
                Payload::ElementSection(elements) => tabled(elements, &mut pending)?,
                Payload::CodeSectionEntry(body) => bodies.push(body),
                _ => {}
            }
        }
        let mut functions = BTreeSet::new();
        while let Some(function) = pending.pop() {
            if !functions.insert(function) {
                continue;
            }
            // Modules have no imports, so functions have the numbers of their bodies.
            if let Some(body) = usize::try_from(function).ok().and_then(|place| bodies.get(place)) {
                calls(body, &mut pending)?;
            }
        }
        Ok(Self { functions })
    }
}

/// Collects the functions in tables.
fn tabled(elements: ElementSectionReader<'_>, found: &mut Vec<u32>) -> Result<(), Error> {
    for element in elements {
        match element.map_err(sections::unreadable)?.items {
            ElementItems::Functions(functions) => {
                for function in functions {
                    found.push(function.map_err(sections::unreadable)?);
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    named(&expression.map_err(sections::unreadable)?, found)?;
                }
            }
        }
    }
    Ok(())
}

/// Collects the functions that a constant expression names.
fn named(expression: &ConstExpr<'_>, found: &mut Vec<u32>) -> Result<(), Error> {
    for operator in expression.get_operators_reader() {
        if let Operator::RefFunc { function_index } = operator.map_err(sections::unreadable)? {
            found.push(function_index);
        }
    }
    Ok(())
}

/// Collects the functions that a function calls or names.
fn calls(body: &FunctionBody<'_>, found: &mut Vec<u32>) -> Result<(), Error> {
    for operator in body.get_operators_reader().map_err(sections::unreadable)? {
        match operator.map_err(sections::unreadable)? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => found.push(function_index),
            _ => {}
        }
    }
    Ok(())
}

/// Writes the code section with the reachable bodies.
fn code(module: &[u8], reach: &ReachableFunctions) -> Result<Vec<u8>, Error> {
    let content = sections::content(module, CODE)?;
    let bodies = CodeSectionReader::new(wasmparser::BinaryReader::new(content, 0));
    let bodies = bodies.map_err(sections::unreadable)?;
    let mut out = leb128(bodies.count() as usize);
    for (number, body) in (0..).zip(bodies) {
        let body = body.map_err(sections::unreadable)?;
        if reach.functions.contains(&number) {
            let bytes = content.get(body.range()).unwrap_or_default();
            out.extend(leb128(bytes.len()));
            out.extend(bytes);
        } else {
            out.extend(TRAP);
        }
    }
    Ok(out)
}

/// Writes the data section as few runs. Returns `None` if a segment has no constant address in the one memory.
fn data(module: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let content = sections::content(module, DATA)?;
    let segments = DataSectionReader::new(wasmparser::BinaryReader::new(content, 0));
    let mut placed = Vec::new();
    for segment in segments.map_err(sections::unreadable)? {
        let Data { kind, data, .. } = segment.map_err(sections::unreadable)?;
        match kind {
            DataKind::Passive => {}
            DataKind::Active { memory_index: 0, offset_expr } => match address(&offset_expr) {
                Some(address) => placed.push((address, data)),
                None => return Ok(None),
            },
            DataKind::Active { .. } => return Ok(None),
        }
    }
    let mut runs = merged(placed, RUN);
    if runs.len() > MAX_RUNS {
        // For so large a policy, longer runs of zeros are written out, too.
        let placed = runs.iter().map(|run| (run.address, run.bytes.as_slice())).collect();
        runs = merged(placed, 4 * RUN);
    }
    let mut out = leb128(runs.len());
    for DataRun { address, bytes } in &runs {
        // Memory 0, at a constant address.
        out.extend([0, 0x41]);
        out.extend(signed_leb128(address.cast_signed()));
        out.push(0x0b);
        out.extend(leb128(bytes.len()));
        out.extend(bytes);
    }
    Ok(Some(out))
}

/// Bytes and their address in memory.
struct DataRun {
    address: u32,
    bytes: Vec<u8>,
}

impl DataRun {
    fn end(&self) -> usize {
        self.address as usize + self.bytes.len()
    }
}

/// Joins runs with at most `gap` zeros between them. Runs of a snapshot do not overlap.
fn merged(mut placed: Vec<(u32, &[u8])>, gap: usize) -> Vec<DataRun> {
    placed.sort_by_key(|(address, _)| *address);
    let mut runs: Vec<DataRun> = Vec::new();
    for (address, bytes) in placed {
        match runs.last_mut() {
            Some(run) if address as usize >= run.end() && address as usize - run.end() <= gap => {
                run.bytes.resize(address as usize - run.address as usize, 0);
                run.bytes.extend(bytes);
            }
            _ => runs.push(DataRun { address, bytes: bytes.to_vec() }),
        }
    }
    runs
}

fn address(offset: &ConstExpr<'_>) -> Option<u32> {
    let mut operators = offset.get_operators_reader();
    match (operators.read().ok()?, operators.read().ok()?) {
        (Operator::I32Const { value }, Operator::End) => Some(value.cast_unsigned()),
        _ => None,
    }
}

/// Encodes a signed integer: seven bits per byte, low bits first.
fn signed_leb128(mut value: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or_default();
        value >>= 7;
        let is_done = matches!((value, low & 0x40), (0, 0) | (-1, 0x40));
        if is_done {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_numbers_survive_encoding() {
        for value in [0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20, i32::MAX, -1, -64, -65, i32::MIN] {
            let bytes = signed_leb128(value);
            assert_eq!(wasmparser::BinaryReader::new(&bytes, 0).read_var_i32().unwrap(), value);
        }
    }

    #[test]
    fn unreachable_functions_trap_and_short_zeros_are_written() {
        let text = r#"(module (memory (export "memory") 1 1) (table 1 funcref) (elem (i32.const 0) $tabled)
            (func $unused (result i32) (call $called) (drop) (i32.const 7))
            (func $called (result i32) (i32.const 1))
            (func $tabled (result i32) (i32.const 2))
            (func $deep (result i32) (i32.const 3))
            (func (export "run") (result i32) (call $called) (drop) (call $deep))
            (data (i32.const 8) "ab") (data (i32.const 13) "c") (data (i32.const 100) "d"))"#;
        let module = wat::parse_str(text).unwrap();
        let lean = leaner(&module).unwrap();
        assert!(lean.len() < module.len());
        let code = sections::content(&lean, CODE).unwrap();
        assert_eq!(code.windows(4).filter(|body| *body == TRAP).count(), 1);
        let data = sections::content(&lean, DATA).unwrap();
        assert_eq!(data, b"\x02\0\x41\x08\x0b\x06ab\0\0\0c\0\x41\xe4\0\x0b\x01d");
        assert_eq!(leaner(&lean).unwrap(), lean);
    }

    #[test]
    fn segments_that_code_can_name_stay() {
        let text = r#"(module (memory (export "memory") 1 1) (data $named "abc")
            (func (export "run") (memory.init $named (i32.const 0) (i32.const 0) (i32.const 3))))"#;
        let module = wat::parse_str(text).unwrap();
        assert_eq!(leaner(&module).unwrap(), module);
    }
}
