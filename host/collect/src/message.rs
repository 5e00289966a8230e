//! Lists of fields, each with its length in four bytes before it.

/// Joins fields to a message.
#[must_use]
pub fn write<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut message = Vec::new();
    for field in fields {
        // The memory of a module has 32 bits.
        message.extend(u32::try_from(field.len()).unwrap_or(u32::MAX).to_le_bytes());
        message.extend(field);
    }
    message
}

/// Splits a message into fields. A field that is cut is left out, and so are those after it.
#[must_use]
pub fn read(message: &[u8]) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    let mut rest = message;
    while let Some((length, after)) = rest.split_first_chunk() {
        let Some((field, after)) = after.split_at_checked(u32::from_le_bytes(*length) as usize) else {
            break;
        };
        fields.push(field);
        rest = after;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let fields: [&[u8]; 3] = [b"run", b"", &[0, 255]];
        let message = write(fields);
        assert_eq!(read(&message), fields);
        assert_eq!(read(&message[..message.len() - 1]), fields[..2]);
    }
}
