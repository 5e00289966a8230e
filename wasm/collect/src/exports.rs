//! The functions of the module. Node writes a message at the address that `reserve` returns, and reads the reply at `address`.
#![cfg_attr(
    target_family = "wasm",
    expect(unsafe_code, reason = "the names of exports are attributes that count as unsafe")
)]

use std::{cell::RefCell, path::PathBuf, time::Duration};

use adjudicate_collect::{message, requests::Step, wire};

use crate::{
    collection::{Collection, CollectionOptions},
    report,
};

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static COLLECTION: RefCell<Option<Collection>> = const { RefCell::new(None) };
}

/// Makes room for a message of this length, and returns its address.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn reserve(length: usize) -> *const u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Returns the address of the latest reply.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn address() -> *const u8 {
    BUFFER.with_borrow(Vec::as_ptr)
}

/// Begins a collection. Returns the length of the first request.
///
/// | field | content |
/// | --- | --- |
/// | 0 | `collect` or `run` |
/// | 1 | the folder |
/// | 2 | the base, or nothing |
/// | 3 | nothing, unless a new run begins |
/// | 4 | the longest wait in milliseconds |
/// | 5 | the step of the agent as JSON, or nothing |
/// | 6 | the external evidence as JSON, or nothing |
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn begin() -> usize {
    let options = with_fields(|fields| {
        let field = |index: usize| fields.get(index).copied().unwrap_or_default();
        let text = |index| String::from_utf8_lossy(field(index)).into_owned();
        let document = |index| Some(field(index).to_vec()).filter(|text| !text.is_empty());
        CollectionOptions {
            is_run: field(0) == b"run",
            folder: PathBuf::from(text(1)),
            base: Some(text(2)).filter(|base| !base.is_empty()),
            new_run: !field(3).is_empty(),
            wait: Duration::from_millis(text(4).parse().unwrap_or_default()),
            agent: document(5),
            external: document(6),
        }
    });
    COLLECTION.with_borrow_mut(|collection| proceed(collection.insert(Collection::new(options)), None))
}

/// Continues the collection with the answer to its latest request. Returns the length of the next request or of the end.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn resume() -> usize {
    let answer = with_fields(wire::answer);
    COLLECTION.with_borrow_mut(|collection| match collection {
        Some(collection) => proceed(collection, Some(answer)),
        None => 0,
    })
}

/// Reads a report. The fields are the text, the format or nothing, the name of the file, and the root. Returns the length of the reply.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn read_report() -> usize {
    let (name, document) = match with_fields(report::reading) {
        Ok(reading) => ("end", reading),
        Err(error) => ("error", error.to_json()),
    };
    reply(message::write([name.as_bytes(), document.as_bytes()]))
}

fn proceed(
    collection: &mut Collection,
    answer: Option<std::io::Result<adjudicate_collect::requests::SystemAnswer>>,
) -> usize {
    let fields = match collection.resume(answer) {
        Step::Call(request) => wire::request(request),
        Step::End(end) => end,
    };
    reply(message::write(fields.iter().map(Vec::as_slice)))
}

fn with_fields<T>(read: impl FnOnce(&[&[u8]]) -> T) -> T {
    BUFFER.with_borrow(|buffer| read(&message::read(buffer)))
}

fn reply(message: Vec<u8>) -> usize {
    let length = message.len();
    BUFFER.replace(message);
    length
}
