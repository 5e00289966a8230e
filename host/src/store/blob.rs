//! Digests in columns of the database.

use adjudicate_sandbox::Digest;
use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, ToSqlOutput, ValueRef},
};

/// A digest as a column stores it: its 32 bytes.
pub(super) struct Blob(pub(super) Digest);

impl ToSql for Blob {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>, rusqlite::Error> {
        Ok(ToSqlOutput::from(self.0.as_bytes().as_slice()))
    }
}

impl FromSql for Blob {
    fn column_result(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        let bytes = <[u8; 32]>::try_from(value.as_blob()?);
        bytes
            .map(|bytes| Self(Digest::from_bytes(bytes)))
            .map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}
