//! The description of a type, for generators: its doc comments, fields, words and defaults as data.
//!
//! Nothing of a description is in a program that does not ask for it: `describe` is inlined, and its data is a constant.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Expr, ExprLit, Field, Fields, FieldsNamed, Lit, LitStr,
    Meta, Result,
};

use crate::{
    attributes::{Others, PartAttributes, TypeAttributes},
    fields::{named, outermost},
    names::Case,
    words::spelled,
};

/// The maker of the values of a type, which determines how a field may be absent or null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The reader of `#[derive(Document)]`: an `Option` may be absent, and is never null.
    Read,
    /// serde's `Serialize`: an `Option` is null, unless `skip_serializing_if` leaves it out.
    Written,
}

/// Generates the implementation of `Describe`.
pub(crate) fn describe(input: &DeriveInput, side: Side) -> Result<TokenStream> {
    let attributes = TypeAttributes::read(&input.attrs)?;
    let (content, literal) = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let fields = described_fields(fields, attributes.case, side)?;
                let others = attributes.others.tokens();
                let expecting = attributes.expecting.as_ref().map_or_else(String::new, LitStr::value);
                (quote!(Object { fields: #fields, others: #others, expecting: #expecting }), None)
            }
            _ => return Err(Error::new_spanned(&input.ident, "a document needs named fields")),
        },
        Data::Enum(data) => match &attributes.tag {
            Some(tag) => (tagged(data, tag, &attributes, side)?, None),
            None => (words(data, &attributes)?, Some(literal(data, &attributes)?)),
        },
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "a document is a struct or an enum")),
    };
    let (name, about) = (&input.ident, about(&input.attrs));
    let title =
        attributes.name.map_or_else(|| name.to_string().into_token_stream(), |name| name.into_token_stream());
    let keywords = attributes.schema.map_or_else(String::new, |keywords| keywords.value());
    let (header, of_type, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #header ::adjudicate_lang::document::Describe for #name #of_type #bounds {
            #[inline]
            fn describe() -> ::adjudicate_lang::document::Type {
                ::adjudicate_lang::document::Type::Named(&const {
                    ::adjudicate_lang::document::Definition {
                        name: #title,
                        source: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)),
                        about: #about,
                        content: ::adjudicate_lang::document::Content::#content,
                        keywords: #keywords,
                    }
                })
            }
            #literal
        }
    })
}

/// Returns the function that returns a word of a closed list as a default.
fn literal(data: &DataEnum, attributes: &TypeAttributes) -> Result<TokenStream> {
    let words = data.variants.iter().map(|variant| {
        let (ident, name) = (&variant.ident, spelled(variant, attributes.case)?);
        Ok(quote!(Self::#ident => #name))
    });
    let words = words.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        #[inline]
        fn literal(&self) -> ::core::option::Option<::adjudicate_lang::json::OwnedValue> {
            let word = match self {
                #(#words,)*
            };
            Some(::adjudicate_lang::json::OwnedValue::text(word))
        }
    })
}

fn words(data: &DataEnum, attributes: &TypeAttributes) -> Result<TokenStream> {
    let words = data.variants.iter().map(|variant| {
        let (name, about) = (spelled(variant, attributes.case)?, about(&variant.attrs));
        Ok(quote!(::adjudicate_lang::document::Word { name: #name, about: #about }))
    });
    let words = words.collect::<Result<Vec<_>>>()?;
    Ok(quote!(Words(&[#(#words),*])))
}

fn tagged(data: &DataEnum, tag: &str, attributes: &TypeAttributes, side: Side) -> Result<TokenStream> {
    let variants = data.variants.iter().map(|variant| {
        let fields = named(&variant.fields)?;
        let fields = described_fields(&fields, attributes.fields_case, side)?;
        let (name, about) = (spelled(variant, attributes.case)?, about(&variant.attrs));
        Ok(quote!(::adjudicate_lang::document::Tagged { name: #name, about: #about, fields: #fields }))
    });
    let variants = variants.collect::<Result<Vec<_>>>()?;
    let others = attributes.others.tokens();
    Ok(quote!(Tagged { tag: #tag, variants: &[#(#variants),*], others: #others }))
}

fn described_fields(fields: &FieldsNamed, case: Option<Case>, side: Side) -> Result<TokenStream> {
    let fields = fields.named.iter().filter_map(|field| described_field(field, case, side).transpose());
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(quote!(&[#(#fields),*]))
}

/// Returns `None` for a field that is not part of the document.
fn described_field(field: &Field, case: Option<Case>, side: Side) -> Result<Option<TokenStream>> {
    let attributes = PartAttributes::read(&field.attrs)?;
    if attributes.is_skipped || attributes.is_source {
        return Ok(None);
    }
    let name = attributes.name(field, case)?;
    let kind = &field.ty;
    if attributes.has_writer && attributes.described.is_none() {
        let message = "a field with `serialize_with` needs `#[document(described = \"Type\")]`";
        return Err(Error::new_spanned(field, message));
    }
    let outermost = outermost(kind);
    let described = attributes.described.as_ref().unwrap_or(kind);
    let describe = quote!(<#described as ::adjudicate_lang::document::Describe>::describe);
    let is_option = outermost.as_deref() == Some("Option");
    let may_be_null = side == Side::Written && is_option && !attributes.may_be_left_out;
    let describe = if may_be_null {
        quote!(|| ::adjudicate_lang::document::Type::nullable(#describe()))
    } else {
        describe
    };
    let is_required = match side {
        Side::Read => !(is_option || attributes.has_default || attributes.default.is_some()),
        Side::Written => !attributes.may_be_left_out,
    };
    let default = match (side, &attributes.default) {
        (Side::Read, Some(default)) => quote!(|| {
            let value: #kind = #default;
            ::adjudicate_lang::document::Describe::literal(&value)
        }),
        (Side::Read, None) if attributes.has_default => quote!(|| {
            ::adjudicate_lang::document::Describe::literal(&<#kind as ::core::default::Default>::default())
        }),
        _ => quote!(|| None),
    };
    let (about, is_flattened) = (about(&field.attrs), attributes.is_flattened);
    let keywords = attributes.schema.map_or_else(String::new, |keywords| keywords.value());
    Ok(Some(quote! {
        ::adjudicate_lang::document::Field {
            name: #name,
            is_flattened: #is_flattened,
            about: #about,
            describe: #describe,
            is_required: #is_required,
            default: #default,
            keywords: #keywords,
        }
    }))
}

/// Returns the text of the doc comments.
fn about(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Others {
    pub(crate) fn tokens(self) -> TokenStream {
        let variant = match self {
            Self::Refused => quote!(Refused),
            Self::Closed => quote!(Closed),
            Self::Root => quote!(Root),
            Self::Open => quote!(Open),
            Self::Carried => quote!(Carried),
        };
        quote!(::adjudicate_lang::document::Others::#variant)
    }
}
