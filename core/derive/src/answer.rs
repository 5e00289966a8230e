//! The answer form of a struct that the engine writes: the same fields, as a host reads them from the answer of any engine.
//!
//! Texts are borrowed, `Nullable` stands for `Option`, `Node` for a JSON value, and `AnswerX` for `X<'a>`. A field that the writer
//! may leave out may be absent.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DataStruct, DeriveInput, Error, Field, Fields, GenericArgument, Result, Type, TypePath};

use crate::{
    attributes::{PartAttributes, TypeAttributes},
    fields::outermost,
    names::Case,
    owned::{arguments, attributes_named},
};

/// Generates the answer form, if the type has one.
pub(crate) fn form(input: &DeriveInput) -> Result<TokenStream> {
    let TypeAttributes { answer: Some((name, expecting)), case, owned, .. } =
        TypeAttributes::read(&input.attrs)?
    else {
        return Ok(TokenStream::new());
    };
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only a struct with named fields has an answer form"));
    };
    let fields = fields.named.iter().map(|field| declaration(field, case));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let documentation = attributes_named(&input.attrs, "doc");
    let owned = owned.map(|derives| quote!(, owned(#(#derives),*)));
    Ok(quote! {
        #(#documentation)*
        #[derive(Clone, Debug, ::adjudicate_lang::document::Document)]
        #[document(expecting = #expecting #owned)]
        #[allow(dead_code, reason = "of some only the shape matters")]
        pub(crate) struct #name<'a> {
            #(#fields)*
            #[serde(skip)]
            lifetime: ::core::marker::PhantomData<&'a ()>,
        }
    })
}

/// Returns the declaration of a field; nothing for a field that is not part of the document.
fn declaration(field: &Field, case: Option<Case>) -> Result<TokenStream> {
    let attributes = PartAttributes::read(&field.attrs)?;
    if attributes.is_skipped {
        return Ok(TokenStream::new());
    }
    let name = attributes.name(field, case)?;
    let PartAttributes { has_answer, may_be_left_out, accepts, is_flattened, .. } = attributes;
    if is_flattened {
        return Err(Error::new_spanned(field, "a type with `flatten` has no answer form"));
    }
    let (ident, documentation) = (&field.ident, attributes_named(&field.attrs, "doc"));
    let mut default = None;
    let kind = match (accepts, outermost(&field.ty).as_deref()) {
        (Some(wider), _) => quote!(#wider),
        (None, Some("Option")) if may_be_left_out => {
            let inner = form_of(argument(&field.ty)?, has_answer)?;
            quote!(::core::option::Option<#inner>)
        }
        (None, _) => {
            default = may_be_left_out.then(|| quote!(#[serde(default)]));
            form_of(&field.ty, has_answer)?
        }
    };
    Ok(quote! {
        #(#documentation)*
        #[serde(rename = #name)]
        #default
        pub(crate) #ident: #kind,
    })
}

/// Returns the answer form of a type.
fn form_of(kind: &Type, has_answer: bool) -> Result<TokenStream> {
    let segment = match kind {
        // The type is a parameter of a macro.
        Type::Group(group) => return form_of(&group.elem, has_answer),
        Type::Reference(reference) => return form_of(&reference.elem, has_answer),
        Type::Slice(list) => return list_of(&list.elem, has_answer),
        Type::Path(TypePath { path, .. }) => path.segments.last(),
        _ => None,
    };
    let Some(segment) = segment else {
        return Err(Error::new_spanned(kind, "a value of this type has no answer form"));
    };
    let borrows = arguments(segment).any(|argument| matches!(argument, GenericArgument::Lifetime(_)));
    Ok(match segment.ident.to_string().as_str() {
        "str" | "String" => quote!(&'a str),
        // Its range depends on the machine.
        "usize" => quote!(u64),
        "Value" | "OwnedValue" => quote!(::adjudicate_lang::json::Node<'a>),
        "Box" | "Cow" => form_of(argument(kind)?, has_answer)?,
        "Vec" => list_of(argument(kind)?, has_answer)?,
        "Option" => {
            let inner = form_of(argument(kind)?, has_answer)?;
            quote!(::adjudicate_lang::json::Nullable<#inner>)
        }
        _ if borrows || has_answer => {
            let name = format_ident!("Answer{}", segment.ident);
            quote!(#name<'a>)
        }
        _ => quote!(#kind),
    })
}

fn list_of(item: &Type, has_answer: bool) -> Result<TokenStream> {
    let item = form_of(item, has_answer)?;
    Ok(quote!(::adjudicate_lang::document::owned::Vec<#item>))
}

/// Returns the type in the arguments of a type.
fn argument(kind: &Type) -> Result<&Type> {
    match kind {
        Type::Group(group) => argument(&group.elem),
        Type::Path(TypePath { path, .. }) => {
            match path.segments.last().and_then(|segment| arguments(segment).last()) {
                Some(GenericArgument::Type(inner)) => Ok(inner),
                _ => Err(Error::new_spanned(kind, "expected an argument")),
            }
        }
        _ => Err(Error::new_spanned(kind, "expected an argument")),
    }
}
