//! The implementations for an enum: one word of a closed list, which is also its `Display`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result, Variant};

use crate::{
    attributes::{PartAttributes, TypeAttributes},
    names::Case,
};

/// Generates the implementation.
pub(crate) fn read(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let TypeAttributes { case, .. } = TypeAttributes::read(&input.attrs)?;
    let mut words = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(
                variant,
                "variants with fields need `#[serde(tag = \"...\")]` on the enum",
            ));
        }
        words.push(spelled(variant, case)?);
    }
    let (name, variants) = (&input.ident, data.variants.iter().map(|variant| &variant.ident));
    let variants: Vec<_> = variants.collect();
    Ok(quote! {
        impl #name {
            /// All values, in the order of declaration.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The word of each value.
            pub const WORDS: &'static [&'static str] = &[#(#words),*];

            /// Returns the word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #words,)*
                }
            }
        }

        impl ::core::fmt::Display for #name {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl<'document> ::adjudicate_lang::document::Document<'document> for #name {
            const SHAPE: ::adjudicate_lang::document::Shape =
                ::adjudicate_lang::document::Shape::Words(Self::WORDS);

            fn read(
                node: ::adjudicate_lang::json::Node<'document>,
                reader: &mut ::adjudicate_lang::document::Reader,
            ) -> ::core::option::Option<Self> {
                Self::ALL.get(reader.word(node, Self::WORDS)?).copied()
            }
        }
    })
}

/// Returns the name of a variant in the document.
pub(crate) fn spelled(variant: &Variant, case: Option<Case>) -> Result<String> {
    let written = variant.ident.to_string();
    let renamed = PartAttributes::read(&variant.attrs)?.rename;
    Ok(renamed.unwrap_or_else(|| case.map_or_else(|| written.clone(), |case| case.of_variant(&written))))
}
