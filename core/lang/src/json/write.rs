//! Serialization of typed values as compact JSON.
//!
//! The output equals that of `serde_json`, in less code: few functions, none of them generic over the written type, and no tables
//! for numbers. The canonical form, for digests, is in [`canonical`](super::canonical()).

use alloc::string::String;
use core::fmt;

use serde::ser::{self, Impossible, Serialize};

use super::{float_text::float_text, lexer::plain_run};

/// The error of a value without a JSON form.
#[derive(Debug)]
pub(crate) struct NoForm;

impl fmt::Display for NoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value without a JSON form")
    }
}

impl core::error::Error for NoForm {}

impl ser::Error for NoForm {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type WriteResult = Result<(), NoForm>;

/// The text so far, and the length beyond which writing stops.
pub(super) struct JsonWriter<'o>(pub &'o mut String, pub usize);

impl JsonWriter<'_> {
    #[inline(never)]
    fn raw(&mut self, text: &str) -> WriteResult {
        self.0.push_str(text);
        Ok(())
    }

    #[inline(never)]
    fn null(&mut self) -> WriteResult {
        self.0.push_str("null");
        Ok(())
    }

    #[inline(never)]
    pub(super) fn string(&mut self, text: &str) -> WriteResult {
        let plain = plain_run(text.as_bytes(), 0);
        self.0.reserve(text.len() + 2);
        self.0.push('"');
        if plain == text.len() {
            self.0.push_str(text);
        } else {
            self.with_escapes(text, plain);
        }
        self.0.push('"');
        Ok(())
    }

    /// Writes a text with escapes; `end` is the index of the first byte that needs one.
    #[cold]
    #[inline(never)]
    fn with_escapes(&mut self, text: &str, mut end: usize) {
        let mut from = 0;
        loop {
            // The byte is below 128, so a character begins there.
            self.0.push_str(text.get(from..end).unwrap_or_default());
            let Some(byte) = text.as_bytes().get(end) else { break };
            self.escaped(*byte);
            from = end + 1;
            end = plain_run(text.as_bytes(), from);
        }
    }

    /// Writes a byte that needs an escape.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, byte: u8) {
        let short = match byte {
            b'\n' => 'n',
            b'\t' => 't',
            b'\r' => 'r',
            8 => 'b',
            12 => 'f',
            b'"' | b'\\' => byte.into(),
            _ => {
                self.0.push_str("\\u00");
                let halves = [byte >> 4, byte & 15];
                return self.0.extend(halves.iter().filter_map(|half| char::from_digit((*half).into(), 16)));
            }
        };
        self.0.extend(['\\', short]);
    }

    #[inline(never)]
    fn integer(&mut self, negative: bool, mut magnitude: u64) -> WriteResult {
        // Most numbers are counts and indices, and most of those are small.
        if magnitude < 10 && !negative {
            self.0.push((b'0' + magnitude as u8).into());
            return Ok(());
        }
        let mut digits = [b'0'; 20];
        let mut count = 0;
        for digit in digits.iter_mut().rev() {
            *digit += (magnitude % 10) as u8;
            (magnitude, count) = (magnitude / 10, count + 1);
            if magnitude == 0 {
                break;
            }
        }
        if negative {
            self.0.push('-');
        }
        let written = digits.get(digits.len() - count..).and_then(|digits| str::from_utf8(digits).ok());
        self.raw(written.unwrap_or_default())
    }

    #[inline(never)]
    fn float(&mut self, value: f64) -> WriteResult {
        if !value.is_finite() {
            return self.null();
        }
        self.raw(&float_text(value))
    }
}

/// A list or an object that is being written.
pub(super) struct ContainerWriter<'w, 'o> {
    writer: &'w mut JsonWriter<'o>,
    /// The separator before the next part: an opening bracket or a comma.
    mark: u8,
    end: u8,
}

impl<'w, 'o> ContainerWriter<'w, 'o> {
    const fn list(writer: &'w mut JsonWriter<'o>) -> Self {
        Self { writer, mark: b'[', end: b']' }
    }

    const fn object(writer: &'w mut JsonWriter<'o>) -> Self {
        Self { writer, mark: b'{', end: b'}' }
    }

    #[inline(never)]
    fn separate(&mut self) {
        self.writer.0.push(self.mark.into());
        self.mark = b',';
    }

    /// Writes the name of a field without escapes, because no declared name needs one.
    #[inline(never)]
    fn name(&mut self, name: &'static str) {
        let out = &mut *self.writer.0;
        out.reserve(name.len() + 4);
        out.push_str(if self.mark == b',' { ",\"" } else { "{\"" });
        self.mark = b',';
        out.push_str(name);
        out.push_str("\":");
    }

    #[inline(never)]
    fn close(self) -> WriteResult {
        if self.mark != b',' {
            self.writer.0.push(self.mark.into());
        }
        self.writer.0.push(self.end.into());
        if self.writer.0.len() > self.writer.1 { Err(NoForm) } else { Ok(()) }
    }
}

impl<'w, 'o> ser::Serializer for &'w mut JsonWriter<'o> {
    type Ok = ();
    type Error = NoForm;
    type SerializeSeq = ContainerWriter<'w, 'o>;
    type SerializeTuple = ContainerWriter<'w, 'o>;
    type SerializeTupleStruct = ContainerWriter<'w, 'o>;
    type SerializeTupleVariant = Impossible<(), NoForm>;
    type SerializeMap = ContainerWriter<'w, 'o>;
    type SerializeStruct = ContainerWriter<'w, 'o>;
    type SerializeStructVariant = Impossible<(), NoForm>;

    fn serialize_bool(self, value: bool) -> WriteResult {
        self.raw(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> WriteResult {
        self.integer(value < 0, value.unsigned_abs())
    }

    fn serialize_u8(self, value: u8) -> WriteResult {
        self.integer(false, value.into())
    }

    fn serialize_u16(self, value: u16) -> WriteResult {
        self.integer(false, value.into())
    }

    fn serialize_u32(self, value: u32) -> WriteResult {
        self.integer(false, value.into())
    }

    fn serialize_u64(self, value: u64) -> WriteResult {
        self.integer(false, value)
    }

    fn serialize_f32(self, value: f32) -> WriteResult {
        self.float(value.into())
    }

    fn serialize_f64(self, value: f64) -> WriteResult {
        self.float(value)
    }

    fn serialize_char(self, value: char) -> WriteResult {
        self.string(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> WriteResult {
        self.string(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> WriteResult {
        Err(NoForm)
    }

    fn serialize_none(self) -> WriteResult {
        self.null()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_unit(self) -> WriteResult {
        self.null()
    }

    fn serialize_unit_struct(self, _: &'static str) -> WriteResult {
        self.null()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> WriteResult {
        self.string(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> WriteResult {
        let mut parts = ContainerWriter::object(self);
        parts.name(variant);
        value.serialize(&mut *parts.writer)?;
        parts.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ContainerWriter<'w, 'o>, NoForm> {
        Ok(ContainerWriter::list(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<ContainerWriter<'w, 'o>, NoForm> {
        Ok(ContainerWriter::list(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ContainerWriter<'w, 'o>, NoForm> {
        Ok(ContainerWriter::list(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NoForm> {
        Err(NoForm)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ContainerWriter<'w, 'o>, NoForm> {
        Ok(ContainerWriter::object(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ContainerWriter<'w, 'o>, NoForm> {
        Ok(ContainerWriter::object(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NoForm> {
        Err(NoForm)
    }
}

/// Lists and tuples.
macro_rules! items {
    ($($kind:ident $item:ident,)+) => {
        $(impl ser::$kind for ContainerWriter<'_, '_> {
            type Ok = ();
            type Error = NoForm;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
                self.separate();
                value.serialize(&mut *self.writer)
            }

            fn end(self) -> WriteResult {
                self.close()
            }
        })+
    };
}

items! { SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field, }

impl ser::SerializeStruct for ContainerWriter<'_, '_> {
    type Ok = ();
    type Error = NoForm;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> WriteResult {
        self.name(name);
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> WriteResult {
        self.close()
    }
}

/// A name must be written as a string.
impl ser::SerializeMap for ContainerWriter<'_, '_> {
    type Ok = ();
    type Error = NoForm;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> WriteResult {
        self.separate();
        let before = self.writer.0.len();
        name.serialize(&mut *self.writer)?;
        if self.writer.0.as_bytes().get(before) == Some(&b'"') { Ok(()) } else { Err(NoForm) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        self.writer.0.push(':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> WriteResult {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use alloc::{collections::BTreeMap, string::String, vec::Vec};

    #[derive(serde::Serialize)]
    struct Sample<'a> {
        text: &'a str,
        #[serde(rename = "a kind")]
        kind: Kind,
        numbers: (i8, u64, i64, Option<u32>),
        unit: (),
        map: BTreeMap<&'a str, Vec<bool>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<()>,
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        OneOfThem,
        Holding(Vec<u8>),
    }

    #[test]
    fn output_equals_that_of_serde_json() {
        let all: String = (0..0x180).filter_map(char::from_u32).chain("\u{2028}\u{1f600}".chars()).collect();
        for kind in [Kind::OneOfThem, Kind::Holding(Vec::new()), Kind::Holding(Vec::from([0, 9, 10, 255]))] {
            for text in ["", "plain", &all] {
                let map = [("a", Vec::new()), (text, Vec::from([true, false]))].into();
                let numbers = (i8::MIN, u64::MAX, i64::MIN, Some(10));
                let sample = Sample { text, kind: Kind::OneOfThem, numbers, unit: (), map, left: None };
                assert_eq!(write(&sample), serde_json::to_string(&sample).unwrap());
            }
            assert_eq!(write(&kind), serde_json::to_string(&kind).unwrap());
        }
    }

    #[test]
    fn floats_equal_those_of_serde_json() {
        for text in [
            "0",
            "-0.0",
            "1",
            "1.5",
            "-0.1",
            "0.30000000000000004",
            "1e15",
            "1e16",
            "1e17",
            "123456789012345678",
            "1e-4",
            "1e-5",
            "1.5e-5",
            "1e-6",
            "1.25e-7",
            "5e-324",
            "1.7976931348623157e308",
            "NaN",
            "inf",
        ] {
            let value: f64 = text.parse().unwrap();
            assert_eq!(write(&value), serde_json::to_string(&value).unwrap(), "{text}");
        }
    }

    #[test]
    fn values_without_a_json_form_give_no_text() {
        assert_eq!(write(&BTreeMap::from([(1, 2)])), "");
        assert_eq!(write(&BTreeMap::from([("a", 2)])), r#"{"a":2}"#);
    }
}
