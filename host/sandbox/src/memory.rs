//! Access to the guest's memory. Every address comes from the guest and is checked first.

use adjudicate_core::Error;
use adjudicate_trust::counted;
use wasmtime::{AsContextMut, Memory, ResourceLimiter};

use crate::codes;

/// Copies the input to the buffer that the guest allocated.
pub(crate) fn write(
    memory: Memory,
    mut store: impl AsContextMut,
    address: i32,
    input: &[u8],
) -> Result<(), Error> {
    let data = memory.data_mut(&mut store);
    let size = data.len();
    let buffer = extent(address, input.len()).and_then(|extent| data.get_mut(extent));
    match buffer {
        Some(buffer) => {
            buffer.copy_from_slice(input);
            Ok(())
        }
        None => Err(outside("`adjudicate_alloc` returned a buffer", address, input.len(), size)),
    }
}

/// Returns the bytes of a reply: `record` is the address of `{ptr: u32, len: u32}`, little-endian.
pub(crate) fn reply(data: &[u8], record: i32, limit: usize) -> Result<&[u8], Error> {
    let fields = extent(record, 8).and_then(|extent| data.get(extent));
    let Some((&[a, b, c, d], &[e, f, g, h])) = fields.and_then(|fields| {
        let (address, length) = fields.split_first_chunk::<4>()?;
        Some((address, length.first_chunk::<4>()?))
    }) else {
        return Err(outside("the reply record is", record, 8, data.len()));
    };
    let address = i32::from_le_bytes([a, b, c, d]);
    let length = u32::from_le_bytes([e, f, g, h]) as usize;
    if length > limit {
        let message = format!("the module's reply has {}, the limit is {limit}", counted(length, "byte"));
        return Err(Error::new(codes::MODULE_OUTPUT_TOO_LARGE, message));
    }
    let reply = extent(address, length).and_then(|extent| data.get(extent));
    reply.ok_or_else(|| outside("the reply is", address, length, data.len()))
}

/// The range of `length` bytes from a guest's address.
fn extent(address: i32, length: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(address.cast_unsigned()).ok()?;
    Some(start..start.checked_add(length)?)
}

fn outside(what: &str, address: i32, length: usize, size: usize) -> Error {
    let address = address.cast_unsigned();
    let message = format!(
        "{what} at {address}, {} long, outside of the memory of {size} bytes",
        counted(length, "byte")
    );
    Error::new(codes::MODULE_BAD_POINTER, message)
}

/// Limits the growth of a memory, and remembers whether a growth was denied.
#[derive(Debug)]
pub(crate) struct Growth {
    limit: usize,
    denied: bool,
}

impl Growth {
    pub(crate) const fn up_to(limit: usize) -> Self {
        Self { limit, denied: false }
    }

    /// True if the guest requested more memory than its limit.
    pub(crate) const fn was_denied(&self) -> bool {
        self.denied
    }
}

impl ResourceLimiter for Growth {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let allowed = desired <= maximum.unwrap_or(self.limit).min(self.limit);
        self.denied |= !allowed;
        Ok(allowed)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.denied = true;
        Ok(())
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let limit = crate::inspect::bounds::TABLE_ELEMENTS as usize;
        Ok(desired <= maximum.unwrap_or(limit).min(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of 64 bytes with this record at address 0.
    fn memory(address: u32, length: u32) -> Vec<u8> {
        let mut data = [address.to_le_bytes(), length.to_le_bytes()].concat();
        data.resize(64, b'x');
        data
    }

    #[test]
    fn every_address_is_checked() {
        for (address, length, expected) in [
            (8, 4, Ok(4)),
            (60, 4, Ok(4)),
            (64, 0, Ok(0)),
            (61, 4, Err(codes::MODULE_BAD_POINTER)),
            (65, 0, Err(codes::MODULE_BAD_POINTER)),
            (u32::MAX, 1, Err(codes::MODULE_BAD_POINTER)),
            (u32::MAX, 16, Err(codes::MODULE_BAD_POINTER)),
            (0, 17, Err(codes::MODULE_OUTPUT_TOO_LARGE)),
            (0, u32::MAX, Err(codes::MODULE_OUTPUT_TOO_LARGE)),
        ] {
            let data = memory(address, length);
            let got = reply(&data, 0, 16).map(<[u8]>::len).map_err(|error| error.code());
            assert_eq!(got, expected, "{address} {length}");
        }
        let data = memory(0, 0);
        for record in [57, 64, -1, -8, i32::MIN, i32::MAX] {
            let got = reply(&data, record, 16).map_err(|error| error.code());
            assert_eq!(got, Err(codes::MODULE_BAD_POINTER), "{record}");
        }
    }
}
