//! Generated modules of the corpus. They are mostly repetition, which would be megabytes of text.
//!
//! Each is the good module of the corpus with one excessive part.

use adjudicate_sandbox::manifest;

/// A function type without parameters and results, and the types of the exported functions.
const TYPES: [&[u8]; 4] =
    [b"\x60\0\0", b"\x60\0\x01\x7f", b"\x60\x01\x7f\x01\x7f", b"\x60\x03\x7f\x7f\x7f\x01\x7f"];

/// The bodies of the exported functions. `adjudicate_abi_1` returns 0. `adjudicate_alloc` returns 4096 for at most 61,440 bytes.
/// `adjudicate_call` returns the record at 16 for operation 1, and the record at 24 for others.
const BODIES: [&[u8]; 3] = [
    b"\0\x41\0\x0b",
    b"\0\x41\x80\x20\x41\0\x20\0\x41\x80\xe0\x03\x4d\x1b\x0b",
    b"\0\x20\0\x41\x01\x47\x04\x40\x41\x18\x0f\x0b\x41\x10\x0b",
];

/// The reply to other operations.
const REFUSAL: &str =
    r#"{"error":{"code":"unsupported_operation","message":"only evaluate is offered","path":""}}"#;

/// A loop with one iteration and a branch back.
const LOOP: &[u8] = b"\x03\x40\x41\0\x0d\0\x0b";
/// A branch that is not taken.
const BRANCH: &[u8] = b"\x41\0\x0d\0";

/// Additions to the good module.
#[derive(Default)]
struct Additions {
    /// Items of sections, after those of the good module.
    types: Vec<Vec<u8>>,
    imports: Option<Vec<Vec<u8>>>,
    tables: Vec<Vec<u8>>,
    globals: Vec<Vec<u8>>,
    exports: Vec<Vec<u8>>,
    elements: Vec<Vec<u8>>,
    /// Functions without parameters and results: locals and code.
    bodies: Vec<Vec<u8>>,
    data: Vec<Vec<u8>>,
    /// Bytes after the last section.
    end: Vec<u8>,
    /// The length to which the manifest is padded with spaces.
    manifest_bytes: usize,
}

/// Builds the module of this name with this answer. `None` if there is no such generator.
pub(super) fn module(name: &str, answer: &str) -> Option<Vec<u8>> {
    let plain = |code: &[u8]| vec![body(&[], code)];
    let mut additions = Additions::default();
    match name {
        "empty-import-section" => additions.imports = Some(Vec::new()),
        "many-custom-sections" => additions.end = custom("x", b"").repeat(100_000),
        "truncated" => {}
        "bytes-behind-the-end" => additions.end = b"\xff\xff".to_vec(),
        "locals-bomb" => additions.bodies = vec![body(&[5_001], b"")],
        "body-bomb" => additions.bodies = plain(&b"\x01".repeat(600_000)),
        "blocks-bomb" => additions.bodies = plain(&nested(b"\x02\x40", 1_001)),
        "loops-bomb" => additions.bodies = plain(&nested(b"\x03\x40", 65)),
        "branches-bomb" => additions.bodies = plain(&BRANCH.repeat(30_000)),
        "branch-table-bomb" => additions.bodies = plain(&branch_table(b"\x40").repeat(3)),
        "locals-at-branches-bomb" => additions.bodies = vec![body(&[5_000], &LOOP.repeat(2_000))],
        "operands-at-branches-bomb" => {
            let code = [b"\x41\0".repeat(1_000), b"\x03\x40\x0b".repeat(200), b"\x1a".repeat(1_000)].concat();
            additions.bodies = plain(&code);
        }
        "many-functions-bomb" => additions.bodies = vec![body(&[], &BRANCH.repeat(8_000)); 16],
        "functions-bomb" => additions.bodies = vec![body(&[], b""); 20_001],
        "globals-bomb" => additions.globals = vec![b"\x7f\0\x41\0\x0b".to_vec(); 1_001],
        "types-bomb" => additions.types = vec![b"\x60\0\0".to_vec(); 999_990],
        "exports-bomb" => {
            additions.exports = (0..999_990).map(|place| export(&format!("e{place:x}"), 0, 0)).collect()
        }
        "data-segments-bomb" => additions.data = vec![b"\x01\0".to_vec(); 99_990],
        "element-segments-bomb" => {
            additions.tables = vec![b"\x70\0\x90\x4e".to_vec()];
            // The address is the sum 0 + 0, so that no compiler computes it in advance.
            let segment = [b"\0\x41\0\x41\0\x6a\x0b".to_vec(), number(10_000), vec![0; 10_000]].concat();
            additions.elements = vec![segment; 1_000];
        }
        "validation-bomb" => {
            additions.types = vec![[b"\x60\0".to_vec(), number(1_000), vec![0x7f; 1_000]].concat()];
            // One vector, then slow instructions: type 4 has a thousand results.
            let vector = [b"\xfd\x0c".as_slice(), &[0; 16], b"\x1a"].concat();
            additions.bodies = plain(&vector);
            additions.bodies.extend(vec![body(&[], &branch_table(b"\x04")); 200]);
        }
        "module-over-the-limit" => additions.end = custom("x", &vec![0; 16 << 20]),
        "long-reserved-name" => {
            additions.exports = vec![export(&format!("adjudicate_{}", "a".repeat(90_000)), 0, 0)]
        }
        "manifest-too-large" => additions.manifest_bytes = manifest::MAX_BYTES + 1,
        _ => return None,
    }
    let mut module = additions.build(name, answer);
    if name == "truncated" {
        module.truncate(module.len() / 2);
    }
    if name == "module-over-the-limit" {
        module.truncate((16 << 20) + 1);
    }
    Some(module)
}

/// A function with these runs of `i32` locals and this code.
fn body(locals: &[u32], code: &[u8]) -> Vec<u8> {
    let runs = locals.iter().flat_map(|count| [number(*count as usize), vec![0x7f]].concat());
    [number(locals.len()), runs.collect(), code.to_vec(), vec![0x0b]].concat()
}

/// Nested blocks, each opened by `open`.
fn nested(open: &[u8], depth: usize) -> Vec<u8> {
    [open.repeat(depth), vec![0x0b; depth]].concat()
}

/// A block of this type with a table of 65,000 branches.
fn branch_table(block: &[u8]) -> Vec<u8> {
    let table = [vec![0x0e], number(65_000), vec![0; 65_001]].concat();
    // After `unreachable`, operands may come from nowhere.
    [b"\x02", block, b"\0\x41\0", &table, b"\x0b\0"].concat()
}

impl Additions {
    fn build(self, name: &str, answer: &str) -> Vec<u8> {
        let bodies = BODIES.iter().map(|body| body.to_vec()).chain(self.bodies);
        let bodies: Vec<_> = bodies.map(|body| sized(&body)).collect();
        let types = [1_usize, 2, 3].into_iter().chain(std::iter::repeat(0)).take(bodies.len());
        let functions: Vec<_> = types.map(number).collect();
        let exports = vec![
            export("memory", 2, 0),
            export("adjudicate_abi_1", 0, 0),
            export("adjudicate_alloc", 0, 1),
            export("adjudicate_call", 0, 2),
        ];
        let reply = format!(r#"{{"ok":{answer}}}"#);
        let record = [record(1024, reply.len()), record(512, REFUSAL.len())].concat();
        let data = vec![
            active(b"\x10", &record),
            active(b"\x80\x04", REFUSAL.as_bytes()),
            active(b"\x80\x08", reply.as_bytes()),
        ];
        let text = format!(r#"{{"abi":1,"name":"{name}","version":"1.0.0","operations":["evaluate"]}}"#);
        let padding = " ".repeat(self.manifest_bytes.saturating_sub(text.len()));
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[TYPES.map(<[u8]>::to_vec).to_vec(), self.types].concat()),
            self.imports.map_or_else(Vec::new, |imports| section(2, &imports)),
            section(3, &functions),
            optional(4, &self.tables),
            section(5, &[b"\x01\x01\x01".to_vec()]),
            optional(6, &self.globals),
            section(7, &[exports, self.exports].concat()),
            optional(9, &self.elements),
            section(10, &bodies),
            section(11, &[data, self.data].concat()),
            custom(manifest::SECTION, format!("{text}{padding}").as_bytes()),
            self.end,
        ]
        .concat()
    }
}

/// A reply record.
fn record(address: usize, length: usize) -> Vec<u8> {
    [address, length]
        .into_iter()
        .flat_map(|value| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes())
        .collect()
}

/// A data segment at an address in signed LEB128.
fn active(address: &[u8], bytes: &[u8]) -> Vec<u8> {
    [b"\0\x41", address, b"\x0b", &sized(bytes)].concat()
}

/// A section with these items.
fn section(id: u8, items: &[Vec<u8>]) -> Vec<u8> {
    let content = [number(items.len()), items.concat()].concat();
    [vec![id], sized(&content)].concat()
}

/// A section, left out if it has no items.
fn optional(id: u8, items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() { Vec::new() } else { section(id, items) }
}

fn custom(name: &str, data: &[u8]) -> Vec<u8> {
    [vec![0], sized(&[sized(name.as_bytes()), data.to_vec()].concat())].concat()
}

fn export(name: &str, kind: u8, index: usize) -> Vec<u8> {
    [sized(name.as_bytes()), vec![kind], number(index)].concat()
}

/// The length of the bytes and the bytes.
fn sized(bytes: &[u8]) -> Vec<u8> {
    [number(bytes.len()), bytes.to_vec()].concat()
}

fn number(value: usize) -> Vec<u8> {
    manifest::leb128(value)
}
