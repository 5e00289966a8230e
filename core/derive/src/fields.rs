//! The implementation for a struct, and the part of it that the variants of an enum share.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    DeriveInput, Error, Expr, Field, Fields, FieldsNamed, GenericParam, Ident, Index, Lifetime, LitStr, Path,
    Result, Type, token::Brace,
};

use crate::{
    attributes::{Others, PartAttributes, TypeAttributes},
    names::Case,
};

/// `Fields::required` has one bit for each field, and one for the tag.
const MOST_FIELDS: usize = 64;

/// A field of the struct, with its name in the document.
struct DocumentField<'a> {
    field: &'a Ident,
    variable: Ident,
    kind: &'a Type,
    name: String,
    presence: Presence,
    default: Option<Expr>,
}

/// The variants of `document::Presence`, and two for fields that are not part of the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    Optional,
    Nullable,
    Null,
    Skipped,
    Source,
}

impl<'a> DocumentField<'a> {
    fn read(field: &'a Field, case: Option<Case>, at: usize) -> Result<Self> {
        let attributes = PartAttributes::read(&field.attrs)?;
        let name = attributes.name(field, case)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "a document needs named fields"));
        };
        let PartAttributes { has_default, default, is_skipped, is_source, is_flattened, .. } = attributes;
        if is_flattened {
            return Err(Error::new_spanned(field, "only a type that is never read can have `flatten`"));
        }
        let presence = match outermost(&field.ty).as_deref() {
            _ if is_source => Presence::Source,
            _ if is_skipped => Presence::Skipped,
            Some("Nullable") if has_default => Presence::Nullable,
            Some("Nullable") => Presence::Null,
            Some("Option") => Presence::Optional,
            _ if has_default || default.is_some() => Presence::Optional,
            _ => Presence::Always,
        };
        Ok(Self {
            field: ident,
            variable: format_ident!("field_{at}"),
            kind: &field.ty,
            name,
            presence,
            default,
        })
    }

    /// Returns the field of the shape; `None` for a skipped field and for `$schema`.
    fn member(&self) -> Option<TokenStream> {
        let Self { kind, name, presence, .. } = self;
        let presence = match presence {
            Presence::Always => quote!(Always),
            Presence::Optional => quote!(Optional),
            Presence::Nullable => quote!(Nullable),
            Presence::Null => quote!(Null),
            Presence::Skipped | Presence::Source => return None,
        };
        (name != "$schema").then(|| {
            quote!(::adjudicate_lang::document::Member {
                name: #name,
                shape: <#kind as ::adjudicate_lang::document::Document<'document>>::SHAPE,
                presence: ::adjudicate_lang::document::Presence::#presence,
            })
        })
    }

    /// Returns a field that is not part of the document, with its value in the expression of the whole object.
    fn other(&self) -> TokenStream {
        let field = self.field;
        match self.presence {
            Presence::Source => quote!(#field: node,),
            _ => quote!(#field: ::core::default::Default::default(),),
        }
    }

    /// Returns whether the field has the type of its variable.
    fn is_option(&self) -> bool {
        self.presence == Presence::Optional
            && self.default.is_none()
            && outermost(self.kind).as_deref() == Some("Option")
    }

    /// Returns the type of the variable, which is empty before the field is read.
    fn declared(&self) -> TokenStream {
        let kind = self.kind;
        if self.is_option() { quote!(#kind,) } else { quote!(::core::option::Option<#kind>,) }
    }

    /// Returns the pattern that takes the value out of the variable. It does not match if a required field was not read.
    fn pattern(&self) -> TokenStream {
        let Self { variable, presence, .. } = self;
        match presence {
            Presence::Always | Presence::Null => quote!(::core::option::Option::Some(#variable),),
            _ => quote!(#variable,),
        }
    }

    /// Returns the field with its value in the expression of the whole object.
    fn value(&self) -> TokenStream {
        let Self { field, variable, presence, default, .. } = self;
        match (presence, default) {
            (Presence::Always | Presence::Null, _) => quote!(#field: #variable,),
            (_, Some(default)) => quote!(#field: #variable.unwrap_or_else(|| #default),),
            _ if self.is_option() => quote!(#field: #variable,),
            _ => quote!(#field: #variable.unwrap_or_default(),),
        }
    }
}

/// Returns the name of a type without its path and arguments.
pub(crate) fn outermost(kind: &Type) -> Option<String> {
    match kind {
        // The type is a parameter of a macro.
        Type::Group(group) => outermost(&group.elem),
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// Generates the implementation.
pub(crate) fn read(input: &DeriveInput, fields: &FieldsNamed) -> Result<TokenStream> {
    let TypeAttributes { case, expecting, others, check, .. } = TypeAttributes::read(&input.attrs)?;
    let object = Object { fields, case, expecting: &words(input, expecting)?, others, tag: None };
    let (members, read) = object.generate(&[(0, quote!(Self))])?;
    let shape = match others {
        Others::Refused | Others::Closed | Others::Root => quote!(Object),
        Others::Open | Others::Carried => quote!(Open),
    };
    let shape = quote!(::adjudicate_lang::document::Shape::#shape(#members));
    implementation(input, &shape, &read, check.as_ref())
}

/// Returns the text of `#[document(expecting = "...")]`, or an error without the attribute.
pub(crate) fn words(input: &DeriveInput, expecting: Option<LitStr>) -> Result<LitStr> {
    let message = "missing `#[document(expecting = \"...\")]`, the words of the error for any other value";
    expecting.ok_or_else(|| Error::new_spanned(&input.ident, message))
}

/// Returns the implementation with this shape, and with this code, which reads a value.
pub(crate) fn implementation(
    input: &DeriveInput,
    shape: &TokenStream,
    read: &TokenStream,
    check: Option<&Path>,
) -> Result<TokenStream> {
    let (name, generics, header) = (&input.ident, &input.generics, header(input)?);
    let (_, of_type, bounds) = generics.split_for_impl();
    let checked = check.map(|check| {
        quote! {
            if let Err(error) = #check(&value) {
                reader.note(error);
                return None;
            }
        }
    });
    Ok(quote! {
        impl #header ::adjudicate_lang::document::Document<'document> for #name #of_type #bounds {
            const SHAPE: ::adjudicate_lang::document::Shape = #shape;

            fn read(
                node: ::adjudicate_lang::json::Node<'document>,
                reader: &mut ::adjudicate_lang::document::Reader,
            ) -> ::core::option::Option<Self> {
                let value = #read;
                #checked
                Some(value)
            }
        }
    })
}

/// An object with declared fields: a struct, or a variant of an enum.
pub(crate) struct Object<'a> {
    pub(crate) fields: &'a FieldsNamed,
    pub(crate) case: Option<Case>,
    pub(crate) expecting: &'a LitStr,
    pub(crate) others: Others,
    /// The field with the name of the variant, which was read before.
    pub(crate) tag: Option<&'a str>,
}

impl Object<'_> {
    /// Returns the fields of the shape, and the code that reads `node` as a value of one of `constructors`: of the last, unless
    /// `place` is the number of another one.
    pub(crate) fn generate(
        &self,
        constructors: &[(usize, TokenStream)],
    ) -> Result<(TokenStream, TokenStream)> {
        let (others, parts) = parts(self.fields, self.case)?;
        let others: Vec<_> = others.iter().map(DocumentField::other).collect();
        let members = parts.iter().filter_map(DocumentField::member);
        let tagged = self.tag.map_or(0, |_| 1);
        let required = (required(&parts) << tagged) | tagged;
        let names = self.tag.map(str::to_owned).into_iter().chain(parts.iter().map(|part| part.name.clone()));
        let declared = parts.iter().map(DocumentField::declared);
        let empty = parts.iter().map(|_| quote!(::core::option::Option::None,));
        let variables = (0..parts.len()).map(Index::from);
        let patterns = parts.iter().map(DocumentField::pattern);
        let places = (0..parts.len()).map(|place| place + usize::from(self.tag.is_some()));
        let values: Vec<_> = parts.iter().map(DocumentField::value).collect();
        let value = match constructors {
            [(_, constructor)] => quote!(#constructor { #(#values)* #(#others)* }),
            _ => {
                let arms = constructors.iter().enumerate().map(|(at, (place, constructor))| {
                    let place = if at + 1 < constructors.len() { quote!(#place) } else { quote!(_) };
                    quote!(#place => #constructor { #(#values)* #(#others)* },)
                });
                quote!(match place { #(#arms)* })
            }
        };
        let expecting = self.expecting;
        let unknown = self.others.tokens();
        let read = quote! {{
            const FIELDS: ::adjudicate_lang::document::Fields = ::adjudicate_lang::document::Fields {
                expecting: #expecting,
                names: &[#(#names),*],
                required: #required,
                others: #unknown,
            };
            // One variable, so that the closure captures one pointer and the fields are dropped in one place.
            let mut read: (#(#declared)*) = (#(#empty)*);
            let is_read = reader.fields(node, &FIELDS, &mut |place, value, reader| {
                let read = &mut read;
                match place {
                    #(#places => ::adjudicate_lang::document::fill(&mut read.#variables, value, reader),)*
                    _ => {}
                }
            });
            match read {
                (#(#patterns)*) if is_read => #value,
                _ => return None,
            }
        }};
        Ok((quote!(&[#(#members),*]), read))
    }
}

/// Returns the fields of a variant, which have names.
pub(crate) fn named(fields: &Fields) -> Result<FieldsNamed> {
    match fields {
        Fields::Named(fields) => Ok(fields.clone()),
        Fields::Unit => Ok(FieldsNamed { brace_token: Brace::default(), named: Default::default() }),
        Fields::Unnamed(fields) => Err(Error::new_spanned(fields, "the fields of a variant need names")),
    }
}

/// Returns the fields that are not part of the document, and those that are.
fn parts(
    fields: &FieldsNamed,
    case: Option<Case>,
) -> Result<(Vec<DocumentField<'_>>, Vec<DocumentField<'_>>)> {
    let parts = fields.named.iter().enumerate();
    let parts: Vec<DocumentField<'_>> =
        parts.map(|(at, field)| DocumentField::read(field, case, at)).collect::<Result<_>>()?;
    if parts.len() >= MOST_FIELDS {
        return Err(Error::new_spanned(fields, format!("a document has fewer than {MOST_FIELDS} fields")));
    }
    Ok(parts.into_iter().partition(|part| matches!(part.presence, Presence::Skipped | Presence::Source)))
}

/// Returns one bit for each required field, the lowest for the first field.
fn required(parts: &[DocumentField<'_>]) -> u64 {
    let is_required = |part: &DocumentField<'_>| matches!(part.presence, Presence::Always | Presence::Null);
    let required = parts.iter().enumerate().filter(|(_, part)| is_required(part));
    required.fold(0, |required, (at, _)| required | 1 << at)
}

/// Returns the generics of the implementation: those of the type, and the lifetime of the text, which outlives them.
fn header(input: &DeriveInput) -> Result<TokenStream> {
    let mut own = Vec::new();
    let mut lifetimes: Vec<&Lifetime> = Vec::new();
    for parameter in &input.generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => lifetimes.push(&lifetime.lifetime),
            GenericParam::Const(constant) => own.push(quote!(#constant)),
            GenericParam::Type(kind) => {
                return Err(Error::new_spanned(kind, "a document has no type parameters"));
            }
        }
    }
    Ok(quote!(<'document: #(#lifetimes)+*, #(#lifetimes,)* #(#own),*>))
}
