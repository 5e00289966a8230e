//! The attributes `serde(...)` and `document(...)`.

use syn::{
    Attribute, Error, Expr, Field, Ident, LitStr, Path, Result, Token, Type, meta::ParseNestedMeta,
    punctuated::Punctuated, token::Paren,
};

use crate::names::Case;

/// The attributes of a type.
#[derive(Default)]
pub(crate) struct TypeAttributes {
    pub(crate) case: Option<Case>,
    pub(crate) fields_case: Option<Case>,
    pub(crate) tag: Option<String>,
    pub(crate) expecting: Option<LitStr>,
    pub(crate) others: Others,
    pub(crate) check: Option<Path>,
    /// Further derives of the owned form, if the type has one.
    pub(crate) owned: Option<Vec<Path>>,
    /// The name of the answer form, and its words for the expected value, if the type has one.
    pub(crate) answer: Option<(Ident, LitStr)>,
    /// The name in descriptions, an expression; without it, the name of the type.
    pub(crate) name: Option<Expr>,
    pub(crate) schema: Option<LitStr>,
}

/// The variants of `document::Others`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Others {
    #[default]
    Refused,
    Closed,
    Root,
    Open,
    Carried,
}

/// The attributes of a field or a variant.
#[derive(Default)]
pub(crate) struct PartAttributes {
    pub(crate) rename: Option<String>,
    pub(crate) has_default: bool,
    pub(crate) default: Option<Expr>,
    pub(crate) is_skipped: bool,
    /// True if the type has an owned form, although it borrows nothing.
    pub(crate) has_owned: bool,
    /// True if the type has an answer form, although it borrows nothing.
    pub(crate) has_answer: bool,
    /// The type of the field in the answer form, if it is wider.
    pub(crate) accepts: Option<Type>,
    /// True if the writer may leave the field out.
    pub(crate) may_be_left_out: bool,
    /// True if the fields of the field's object stand in its place.
    pub(crate) is_flattened: bool,
    /// True if a function writes the field, so that its type does not describe it.
    pub(crate) has_writer: bool,
    /// The type that describes the field in place of its own.
    pub(crate) described: Option<Type>,
    pub(crate) schema: Option<LitStr>,
    pub(crate) is_source: bool,
}

impl TypeAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, "serde", |meta| {
            if meta.path.is_ident("rename_all") {
                read.case = Some(case(meta)?);
            } else if meta.path.is_ident("rename_all_fields") {
                read.fields_case = Some(case(meta)?);
            } else if meta.path.is_ident("tag") {
                read.tag = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.path.is_ident("deny_unknown_fields") {
                // The reader always does.
            } else {
                let known = "`rename_all`, `rename_all_fields`, `tag` or `deny_unknown_fields`";
                return Err(meta.error(format!("unknown attribute of serde; expected {known}")));
            }
            Ok(())
        })?;
        each(attributes, "document", |meta| {
            if meta.path.is_ident("expecting") {
                read.expecting = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("closed") {
                read.others = Others::Closed;
            } else if meta.path.is_ident("root") {
                read.others = Others::Root;
            } else if meta.path.is_ident("open") {
                read.others = Others::Open;
            } else if meta.path.is_ident("carried") {
                read.others = Others::Carried;
            } else if meta.path.is_ident("check") {
                read.check = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            } else if meta.path.is_ident("owned") {
                read.owned = Some(derives(meta)?);
            } else if meta.path.is_ident("answer") {
                read.answer = Some(answer(meta)?);
            } else if meta.path.is_ident("name") {
                read.name = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("schema") {
                read.schema = Some(meta.value()?.parse()?);
            } else {
                let known = "`expecting`, `root`, `closed`, `open`, `carried`, `check`, `name`, `schema`, `answer` or `owned`";
                return Err(meta.error(format!("unknown attribute; expected {known}")));
            }
            Ok(())
        })?;
        Ok(read)
    }
}

impl PartAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        each(attributes, "serde", |meta| {
            if meta.path.is_ident("rename") {
                read.rename = Some(meta.value()?.parse::<LitStr>()?.value());
                return Ok(());
            }
            if meta.path.is_ident("default") && !meta.input.peek(Token![=]) {
                read.has_default = true;
            } else if meta.path.is_ident("skip_serializing") {
                // Only the writer needs it, as `skip_serializing_if`.
            } else if meta.path.is_ident("skip") {
                read.is_skipped = true;
            } else if meta.path.is_ident("skip_serializing_if") {
                meta.value()?.parse::<LitStr>()?;
                read.may_be_left_out = true;
            } else if meta.path.is_ident("serialize_with") {
                meta.value()?.parse::<LitStr>()?;
                read.has_writer = true;
            } else if meta.path.is_ident("flatten") {
                read.is_flattened = true;
            } else {
                let known = "`default`, `flatten`, `rename`, `skip`, `skip_serializing`, `skip_serializing_if` or `serialize_with`";
                return Err(meta.error(format!("unknown attribute of serde; expected {known}")));
            }
            Ok(())
        })?;
        each(attributes, "document", |meta| {
            if meta.path.is_ident("default") {
                read.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("owned") {
                read.has_owned = true;
            } else if meta.path.is_ident("answer") {
                read.has_answer = true;
            } else if meta.path.is_ident("accepts") {
                read.accepts = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            } else if meta.path.is_ident("described") {
                read.described = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            } else if meta.path.is_ident("schema") {
                read.schema = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("source") {
                read.is_source = true;
            } else {
                let known = "`default`, `described`, `schema`, `source`, `owned`, `answer` or `accepts`";
                return Err(meta.error(format!("unknown attribute; expected {known}")));
            }
            Ok(())
        })?;
        Ok(read)
    }

    /// Returns the name of the field in the document.
    pub(crate) fn name(&self, field: &Field, case: Option<Case>) -> Result<String> {
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "a document needs named fields"));
        };
        let written = ident.to_string();
        let written = written.trim_start_matches("r#");
        let cased = || case.map_or_else(|| written.to_owned(), |case| case.of_field(written));
        Ok(self.rename.clone().unwrap_or_else(cased))
    }
}

/// Reads the value of `rename_all` or `rename_all_fields`.
fn case(meta: &ParseNestedMeta<'_>) -> Result<Case> {
    let name: LitStr = meta.value()?.parse()?;
    let unknown = "unknown case; expected `snake_case`, `camelCase` or `SCREAMING_SNAKE_CASE`";
    Case::named(&name.value()).ok_or_else(|| Error::new(name.span(), unknown))
}

/// Reads the name and the words of `answer`, for example `answer(AnswerDecision, "a decision object")`.
fn answer(meta: &ParseNestedMeta<'_>) -> Result<(Ident, LitStr)> {
    let content;
    syn::parenthesized!(content in meta.input);
    let name = content.parse()?;
    content.parse::<Token![,]>()?;
    Ok((name, content.parse()?))
}

/// Reads the further derives of `owned`, for example `owned(Default)`.
fn derives(meta: &ParseNestedMeta<'_>) -> Result<Vec<Path>> {
    if !meta.input.peek(Paren) {
        return Ok(Vec::new());
    }
    let content;
    syn::parenthesized!(content in meta.input);
    Ok(Punctuated::<Path, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// Calls `take` with each item of the attributes of this name.
fn each(
    attributes: &[Attribute],
    name: &str,
    mut take: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let named = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    named.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| take(&meta)))
}
