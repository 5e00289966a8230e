//! The implementation for an enum with a tag: objects of which one field, the tag, has the name of the variant.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DataEnum, DeriveInput, FieldsNamed, Result};

use crate::{
    attributes::TypeAttributes,
    fields::{Object, implementation, named, words},
    words::spelled,
};

/// Generates the implementation.
pub(crate) fn read(input: &DeriveInput, data: &DataEnum, tag: &str) -> Result<TokenStream> {
    let TypeAttributes { case, fields_case, expecting, others, check, .. } =
        TypeAttributes::read(&input.attrs)?;
    let expecting = words(input, expecting)?;
    let (mut names, mut shapes, mut readers) = (Vec::new(), Vec::new(), Vec::new());
    // Variants with the same fields share a reader.
    let mut groups: Vec<(FieldsNamed, Vec<(usize, TokenStream)>)> = Vec::new();
    for (place, variant) in data.variants.iter().enumerate() {
        let (ident, fields) = (&variant.ident, named(&variant.fields)?);
        let constructor = (place, quote!(Self::#ident));
        match groups.iter_mut().find(|(known, _)| is_same(known, &fields)) {
            Some((_, constructors)) => constructors.push(constructor),
            None => groups.push((fields, Vec::from([constructor]))),
        }
        names.push(spelled(variant, case)?);
    }
    for (fields, constructors) in &groups {
        let object = Object { fields, case: fields_case, expecting: &expecting, others, tag: Some(tag) };
        let (members, read) = object.generate(constructors)?;
        let places = constructors.iter().map(|(place, _)| place);
        readers.push(quote!(#(#places)|* => #read));
        shapes.extend(constructors.iter().map(|(place, _)| (*place, members.clone())));
    }
    shapes.sort_by_key(|(place, _)| *place);
    let shapes = names.iter().zip(&shapes).map(|(name, (_, members))| {
        quote!(::adjudicate_lang::document::Variant { name: #name, members: #members })
    });
    let shape = quote!(::adjudicate_lang::document::Shape::Tagged(#tag, &[#(#shapes),*]));
    let read = quote! {{
        let place = reader.tag(node, #tag, #expecting, &[#(#names),*])?;
        match place {
            #(#readers)*
            _ => return None,
        }
    }};
    implementation(input, &shape, &read, check.as_ref())
}

/// Returns whether two variants have the same fields, with the same attributes and documentation.
fn is_same(left: &FieldsNamed, right: &FieldsNamed) -> bool {
    left.to_token_stream().to_string() == right.to_token_stream().to_string()
}
