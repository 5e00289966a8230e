//! `format`: which formats assert, in one table.

use crate::schema::dialect::Draft;

/// A format that can assert: its row.
#[derive(Clone, Copy, Debug)]
pub(in crate::schema) struct Format(&'static Row);

#[derive(Debug)]
struct Row {
    name: &'static str,
    /// Whether draft-07 has it too.
    in_draft7: bool,
    allows: fn(&str) -> bool,
}

static ROWS: &[Row] = &[Row { name: "json-pointer", in_draft7: true, allows: is_json_pointer }];

impl Format {
    /// The format of that name, if the draft has it and it can assert.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let row = ROWS.iter().find(|row| row.name == name)?;
        (row.in_draft7 || draft == Draft::Draft2020).then_some(Self(row))
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether a text is of the format.
    pub(in crate::schema) fn allows(self, text: &str) -> bool {
        (self.0.allows)(text)
    }
}

fn is_json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}
