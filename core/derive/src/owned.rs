//! The owned form of a struct: a second struct that borrows from nothing, and the conversion into it.
//!
//! The owned form of `X<'a>`, and of `AnswerX<'a>`, is `OwnedX`. It has the same documentation and the same fields in the same
//! order, each with the owned form of its type. A field that may be absent is an `Option`. The field `extra` has all other fields
//! of the object.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, DeriveInput, Error, Field, FieldsNamed, GenericArgument, Ident, PathArguments, PathSegment,
    Result, Type,
};

use crate::{
    attributes::{PartAttributes, TypeAttributes},
    fields::outermost,
    names::Case,
};

/// Generates the owned form.
pub(crate) fn form(input: &DeriveInput, fields: &FieldsNamed) -> Result<TokenStream> {
    let TypeAttributes { owned: Some(derives), case, .. } = TypeAttributes::read(&input.attrs)? else {
        return Ok(TokenStream::new());
    };
    let parts = fields.named.iter().map(|field| OwnedField::read(field, case)).filter_map(Result::transpose);
    let parts: Vec<OwnedField<'_>> = parts.collect::<Result<_>>()?;
    let (borrowed, name) = (&input.ident, owned_name(&input.ident));
    let documentation = attributes_named(&input.attrs, "doc");
    let declared = parts.iter().map(OwnedField::declaration);
    let converted = parts.iter().map(OwnedField::conversion);
    let names = parts.iter().map(|part| &part.name);
    let borrows = input.generics.lifetimes().next().is_some();
    let (of_document, of_text) =
        if borrows { (quote!(<'document>), quote!(<'_>)) } else { Default::default() };
    Ok(quote! {
        #(#documentation)*
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize #(, #derives)*)]
        pub struct #name {
            #(#declared)*
            /// Fields that are not declared, by name: those whose names begin with `x-`, for example.
            #[serde(flatten)]
            pub extra: ::adjudicate_lang::document::Extra,
        }

        impl<'document> ::adjudicate_lang::document::IntoOwned<'document> for #borrowed #of_document {
            type Owned = #name;

            fn into_owned(
                self,
                node: ::adjudicate_lang::json::Node<'document>,
            ) -> Self::Owned {
                #name {
                    #(#converted)*
                    extra: ::adjudicate_lang::document::owned::extra(node, &[#(#names),*]),
                }
            }
        }

        impl #name {
            /// Reads a JSON text of up to 16 MiB.
            ///
            /// # Errors
            ///
            /// The first error in document order, with up to nine others.
            pub fn from_json(text: &[u8]) -> ::core::result::Result<Self, ::adjudicate_lang::Error> {
                let tape = ::adjudicate_lang::json::read(text, ::adjudicate_lang::document::owned::LIMITS)?;
                let read: #borrowed #of_text = ::adjudicate_lang::document::read(tape.root())?;
                Ok(::adjudicate_lang::document::IntoOwned::into_owned(read, tape.root()))
            }

            /// Returns the JSON text, with the fields in the declared order.
            #[must_use]
            pub fn to_json(&self) -> ::adjudicate_lang::document::owned::String {
                ::adjudicate_lang::json::write(self)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #name {
            /// Reads with the rules and messages of [`from_json`](Self::from_json).
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::adjudicate_lang::document::owned::deserialize(deserializer, Self::from_json)
            }
        }
    })
}

/// A field of the owned form.
struct OwnedField<'a> {
    field: &'a Field,
    ident: &'a Ident,
    /// The name in the document.
    name: String,
    /// True if the field may be absent.
    is_optional: bool,
    kind: Kind<'a>,
}

impl<'a> OwnedField<'a> {
    /// Reads a field; `None` for a field that the owned form does not have.
    fn read(field: &'a Field, case: Option<Case>) -> Result<Option<Self>> {
        let attributes = PartAttributes::read(&field.attrs)?;
        let name = attributes.name(field, case)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "a document needs named fields"));
        };
        if attributes.is_skipped || attributes.is_source || name == "$schema" {
            return Ok(None);
        }
        let kind = Kind::new(&field.ty, attributes.has_owned)?;
        let is_optional =
            matches!(kind, Kind::Option(_)) || attributes.has_default || attributes.default.is_some();
        Ok(Some(Self { field, ident, name, is_optional, kind }))
    }

    fn declaration(&self) -> TokenStream {
        let Self { field, ident, name, kind, .. } = self;
        let (documentation, mut owned) = (attributes_named(&field.attrs, "doc"), kind.owned());
        let written = ident.to_string();
        let renamed = (written.trim_start_matches("r#") != *name).then(|| quote!(#[serde(rename = #name)]));
        let mut left_out = None;
        if self.is_optional {
            if !matches!(kind, Kind::Option(_)) {
                owned = quote!(::core::option::Option<#owned>);
            }
            left_out = Some(quote!(#[serde(skip_serializing_if = "::core::option::Option::is_none")]));
        }
        quote! {
            #(#documentation)*
            #renamed
            #left_out
            pub #ident: #owned,
        }
    }

    fn conversion(&self) -> TokenStream {
        let Self { ident, name, kind, .. } = self;
        let converted = kind.convert(&quote!(self.#ident), &quote!(node));
        if self.is_optional && !matches!(kind, Kind::Option(_)) {
            return quote!(#ident: node.member(#name).map(|node| #converted),);
        }
        // A value that is there was read from a field.
        quote!(#ident: { let node = node.member(#name).unwrap_or(node); #converted },)
    }
}

/// A type, by the way in which its values become owned.
enum Kind<'a> {
    /// A type that borrows nothing.
    Plain(&'a Type),
    /// `&'a str`
    Text,
    /// A type with an owned form of its own: the owned type.
    Form(TokenStream),
    Option(Box<Self>),
    Nullable(Box<Self>),
    List(Box<Self>),
    /// Names to values.
    Map(Box<Self>),
}

impl<'a> Kind<'a> {
    fn new(kind: &'a Type, has_owned: bool) -> Result<Self> {
        let inner = |segment: &'a PathSegment| match arguments(segment).last() {
            Some(GenericArgument::Type(inner)) => Self::new(inner, has_owned).map(Box::new),
            _ => Err(Error::new_spanned(segment, "expected an argument")),
        };
        let segment = match kind {
            Type::Reference(reference) if outermost(&reference.elem).as_deref() == Some("str") => {
                return Ok(Self::Text);
            }
            // The type is a parameter of a macro.
            Type::Group(group) => return Self::new(&group.elem, has_owned),
            Type::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let Some(segment) = segment else {
            return Err(Error::new_spanned(kind, "a value of this type has no owned form"));
        };
        let borrows = arguments(segment).any(|argument| matches!(argument, GenericArgument::Lifetime(_)));
        Ok(match segment.ident.to_string().as_str() {
            "Option" => Self::Option(inner(segment)?),
            "Nullable" => Self::Nullable(inner(segment)?),
            "Vec" => Self::List(inner(segment)?),
            "SortedMap" => Self::Map(inner(segment)?),
            "Pattern" if borrows => Self::Form(quote!(::adjudicate_lang::document::owned::String)),
            "Node" | "Notes" if borrows => Self::Form(quote!(::adjudicate_lang::json::OwnedValue)),
            // As written, because a text of many digits has no other exact form.
            "Magnitude" => Self::Form(quote!(::adjudicate_lang::json::OwnedValue)),
            _ if borrows || has_owned => {
                let owned = owned_name(&segment.ident);
                Self::Form(quote!(#owned))
            }
            _ => Self::Plain(kind),
        })
    }

    /// Returns the owned type.
    fn owned(&self) -> TokenStream {
        match self {
            Self::Plain(kind) => quote!(#kind),
            Self::Text => quote!(::adjudicate_lang::document::owned::String),
            Self::Form(owned) => owned.clone(),
            Self::Option(inner) | Self::Nullable(inner) => {
                let inner = inner.owned();
                quote!(::core::option::Option<#inner>)
            }
            Self::List(item) => {
                let item = item.owned();
                quote!(::adjudicate_lang::document::owned::Vec<#item>)
            }
            Self::Map(value) => {
                let value = value.owned();
                let name = quote!(::adjudicate_lang::document::owned::String);
                quote!(::adjudicate_lang::document::owned::BTreeMap<#name, #value>)
            }
        }
    }

    /// Returns the owned value of `value`, which was read from `node`.
    fn convert(&self, value: &TokenStream, node: &TokenStream) -> TokenStream {
        let (inner_value, inner_node) = (quote!(value), quote!(node));
        let each = |inner: &Self| inner.convert(&inner_value, &inner_node);
        match self {
            Self::Plain(_) => value.clone(),
            Self::Text => quote!(::core::convert::From::from(#value)),
            Self::Form(_) => quote!(::adjudicate_lang::document::IntoOwned::into_owned(#value, #node)),
            Self::Option(inner) | Self::Nullable(inner) => {
                let inner = inner.convert(&inner_value, node);
                let option = if matches!(self, Self::Nullable(_)) { quote!(.0) } else { quote!() };
                quote!(#value #option .map(|value| #inner))
            }
            Self::List(item) => {
                let item = each(item);
                quote!(::adjudicate_lang::document::owned::items(#value, #node, |value, node| #item))
            }
            Self::Map(member) => {
                let member = each(member);
                quote!(::adjudicate_lang::document::owned::members(#value, #node, |value, node| #member))
            }
        }
    }
}

/// Returns the name of the owned form.
fn owned_name(borrowed: &Ident) -> Ident {
    let name = borrowed.to_string();
    format_ident!("Owned{}", name.strip_prefix("Answer").unwrap_or(&name))
}

pub(crate) fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten()
}

/// Returns the attributes of this name.
pub(crate) fn attributes_named<'a>(attributes: &'a [Attribute], name: &str) -> Vec<&'a Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident(name)).collect()
}
