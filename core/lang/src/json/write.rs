//! Writing typed values as compact JSON.
//!
//! The same bytes as `serde_json`'s, in less code: whatever is written becomes one of a few calls, none of which is
//! compiled anew for each type, and numbers need no tables. What is not here: the canonical form, for hashes.

use alloc::string::String;
use core::fmt;

use serde::ser::{self, Impossible, Serialize};

use super::{canonical::float_text, lexer::plain_run};

/// That a value has no JSON form.
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

type Written = Result<(), NoForm>;

/// What writes: what is written so far, and how long a text is given up.
pub(super) struct Writer<'o>(pub &'o mut String, pub usize);

impl Writer<'_> {
    #[inline(never)]
    fn raw(&mut self, text: &str) -> Written {
        self.0.push_str(text);
        Ok(())
    }

    #[inline(never)]
    fn null(&mut self) -> Written {
        self.0.push_str("null");
        Ok(())
    }

    #[inline(never)]
    pub(super) fn string(&mut self, text: &str) -> Written {
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

    /// Text with a byte that a string cannot hold as it is; the first of them is at `end`.
    #[cold]
    #[inline(never)]
    fn with_escapes(&mut self, text: &str, mut end: usize) {
        let mut from = 0;
        loop {
            // Where a byte below 128 is, a character begins.
            self.0.push_str(text.get(from..end).unwrap_or_default());
            let Some(byte) = text.as_bytes().get(end) else { break };
            self.escaped(*byte);
            from = end + 1;
            end = plain_run(text.as_bytes(), from);
        }
    }

    /// A byte that a string cannot hold as it is.
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
    fn integer(&mut self, negative: bool, mut magnitude: u64) -> Written {
        // Most numbers are counts and places, and most of those are small.
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
    fn float(&mut self, value: f64) -> Written {
        if !value.is_finite() {
            return self.null();
        }
        self.raw(&float_text(value))
    }
}

/// The parts of a list or an object that is being written.
pub(super) struct Parts<'w, 'o> {
    writer: &'w mut Writer<'o>,
    /// What comes before the next part: what opens the list or the object, or a comma.
    mark: u8,
    end: u8,
}

impl<'w, 'o> Parts<'w, 'o> {
    const fn list(writer: &'w mut Writer<'o>) -> Self {
        Self { writer, mark: b'[', end: b']' }
    }

    const fn object(writer: &'w mut Writer<'o>) -> Self {
        Self { writer, mark: b'{', end: b'}' }
    }

    #[inline(never)]
    fn separate(&mut self) {
        self.writer.0.push(self.mark.into());
        self.mark = b',';
    }

    /// The name of a field, as it is: no type has one that would have to be escaped.
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
    fn close(self) -> Written {
        if self.mark != b',' {
            self.writer.0.push(self.mark.into());
        }
        self.writer.0.push(self.end.into());
        if self.writer.0.len() > self.writer.1 { Err(NoForm) } else { Ok(()) }
    }
}

impl<'w, 'o> ser::Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = NoForm;
    type SerializeSeq = Parts<'w, 'o>;
    type SerializeTuple = Parts<'w, 'o>;
    type SerializeTupleStruct = Parts<'w, 'o>;
    type SerializeTupleVariant = Impossible<(), NoForm>;
    type SerializeMap = Parts<'w, 'o>;
    type SerializeStruct = Parts<'w, 'o>;
    type SerializeStructVariant = Impossible<(), NoForm>;

    fn serialize_bool(self, value: bool) -> Written {
        self.raw(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Written {
        self.integer(value < 0, value.unsigned_abs())
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.integer(false, value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.integer(false, value.into())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.integer(false, value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.integer(false, value)
    }

    fn serialize_f32(self, value: f32) -> Written {
        self.float(value.into())
    }

    fn serialize_f64(self, value: f64) -> Written {
        self.float(value)
    }

    fn serialize_char(self, value: char) -> Written {
        self.string(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Written {
        self.string(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(NoForm)
    }

    fn serialize_none(self) -> Written {
        self.null()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.null()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.null()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.string(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        let mut parts = Parts::object(self);
        parts.name(variant);
        value.serialize(&mut *parts.writer)?;
        parts.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'w, 'o>, NoForm> {
        Ok(Parts::list(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'w, 'o>, NoForm> {
        Ok(Parts::list(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'w, 'o>, NoForm> {
        Ok(Parts::list(self))
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

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'w, 'o>, NoForm> {
        Ok(Parts::object(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'w, 'o>, NoForm> {
        Ok(Parts::object(self))
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
        $(impl ser::$kind for Parts<'_, '_> {
            type Ok = ();
            type Error = NoForm;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
                self.separate();
                value.serialize(&mut *self.writer)
            }

            fn end(self) -> Written {
                self.close()
            }
        })+
    };
}

items! { SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field, }

impl ser::SerializeStruct for Parts<'_, '_> {
    type Ok = ();
    type Error = NoForm;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.name(name);
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Written {
        self.close()
    }
}

/// A name is whatever is written as a string.
impl ser::SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = NoForm;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Written {
        self.separate();
        let before = self.writer.0.len();
        name.serialize(&mut *self.writer)?;
        if self.writer.0.as_bytes().get(before) == Some(&b'"') { Ok(()) } else { Err(NoForm) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.writer.0.push(':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Written {
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
    fn the_same_bytes_as_serde_json() {
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
    fn floats_as_serde_json_writes_them() {
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
    fn what_has_no_form_is_no_text() {
        assert_eq!(write(&BTreeMap::from([(1, 2)])), "");
        assert_eq!(write(&BTreeMap::from([("a", 2)])), r#"{"a":2}"#);
    }
}
