//! One pass over a module's sections: rejects invalid sections and collects the data for the final checks.

use adjudicate_core::Error;
use wasmparser::{ElementItems, ElementSectionReader, FunctionBody, Imports, MemoryType, Payload, TableType};

use super::{Inspection, MemoryShape, bounded, bounds, shorten};
use crate::{
    Digest, codes, embedded_policy,
    manifest::{self, SECTION},
};

/// The data collected so far.
#[derive(Default)]
pub(super) struct Survey<'a> {
    functions: u32,
    memories: Vec<MemoryType>,
    exports: Vec<String>,
    manifests: Vec<&'a [u8]>,
    policies: Vec<&'a [u8]>,
}

impl<'a> Survey<'a> {
    /// Examines one section or function body.
    pub(super) fn visit(&mut self, payload: &Payload<'a>) -> Result<(), Error> {
        bound(payload)?;
        match payload {
            Payload::ImportSection(section) => match section.clone().into_iter().next() {
                Some(Ok(imports)) => Err(refuse_import(&imports)),
                // There are no imports, or the validator rejects the section.
                None | Some(Err(_)) => Ok(()),
            },
            Payload::StartSection { .. } => {
                let message = "the module has a start function, which would run before any call; \
                               do that work in `_initialize`";
                Err(Error::new(codes::MODULE_START, message))
            }
            Payload::FunctionSection(section) => {
                self.functions = section.count();
                Ok(())
            }
            Payload::MemorySection(section) => {
                self.memories.extend(section.clone().into_iter().flatten().take(2));
                self.memories.iter().try_for_each(|memory| self.accept_memory(memory))
            }
            Payload::ExportSection(section) => {
                self.exports
                    .extend(section.clone().into_iter().flatten().map(|export| export.name.to_owned()));
                Ok(())
            }
            Payload::CustomSection(section) if section.name() == SECTION => {
                self.manifests.push(section.data());
                Ok(())
            }
            Payload::CustomSection(section) if section.name() == embedded_policy::SECTION => {
                self.policies.push(section.data());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks the whole module.
    pub(super) fn finish(self, module: &[u8]) -> Result<Inspection, Error> {
        let memory =
            self.memories.first().ok_or_else(|| memory_refusal("the module has no memory of its own"))?;
        let maximum = memory.maximum.unwrap_or(memory.initial);
        let manifest = manifest::from_sections(&self.manifests)?;
        Ok(Inspection {
            digest: Digest::sha256(module),
            bytes: module.len(),
            functions: self.functions,
            memory: MemoryShape::new(memory.initial, maximum),
            policy: embedded_policy::embedded_policy(&self.policies, &manifest)?,
            manifest,
            exports: self.exports,
        })
    }

    fn accept_memory(&self, memory: &MemoryType) -> Result<(), Error> {
        if self.memories.len() > 1 {
            return Err(memory_refusal("the module has more than one memory; keep one"));
        }
        if memory.memory64 {
            return Err(memory_refusal("the memory has 64-bit addresses; build for wasm32"));
        }
        if memory.shared {
            return Err(memory_refusal("the memory is shared between threads; build without threads"));
        }
        if memory.page_size_log2.is_some() {
            return Err(memory_refusal("the memory has pages of a size of its own; keep 64 KiB"));
        }
        if memory.maximum.is_none() {
            let message = "the memory declares no maximum; give the linker one, \
                           for instance `-C link-arg=--max-memory=16777216`";
            return Err(memory_refusal(message));
        }
        Ok(())
    }
}

/// Rejects sections and functions beyond a bound before their content is examined.
pub(super) fn bound(payload: &Payload<'_>) -> Result<(), Error> {
    match payload {
        Payload::TypeSection(section) => bounded("types", section.count(), bounds::TYPES),
        Payload::FunctionSection(section) => bounded("functions", section.count(), bounds::FUNCTIONS),
        Payload::TableSection(section) => {
            bounded("tables", section.count(), bounds::TABLES)?;
            section.clone().into_iter().flatten().try_for_each(|table| bounded_table(&table.ty))
        }
        Payload::GlobalSection(section) => bounded("globals", section.count(), bounds::GLOBALS),
        Payload::ExportSection(section) => bounded("exports", section.count(), bounds::EXPORTS),
        Payload::ElementSection(section) => bounded_elements(section.clone()),
        Payload::DataSection(section) => bounded("data segments", section.count(), bounds::DATA_SEGMENTS),
        Payload::CodeSectionEntry(body) => bounded_body(body),
        _ => Ok(()),
    }
}

fn bounded_elements(section: ElementSectionReader<'_>) -> Result<(), Error> {
    bounded("element segments", section.count(), bounds::SEGMENT_ELEMENTS)?;
    // The validator rejects a segment that cannot be read.
    let elements = section.into_iter().map_while(Result::ok).fold(0_u32, |sum, segment| {
        sum.saturating_add(match segment.items {
            ElementItems::Functions(functions) => functions.count(),
            ElementItems::Expressions(_, expressions) => expressions.count(),
        })
    });
    bounded("elements of element segments", elements, bounds::SEGMENT_ELEMENTS)
}

fn refuse_import(imports: &Imports<'_>) -> Error {
    let (module, name) = match imports {
        Imports::Single(_, import) => (import.module, import.name),
        Imports::Compact1 { module, .. } | Imports::Compact2 { module, .. } => (*module, "..."),
    };
    let message = format!(
        "the module imports `{}`.`{}`; a policy module imports nothing, so build it without WASI \
         and without JavaScript glue",
        shorten(module),
        shorten(name)
    );
    Error::new(codes::MODULE_IMPORTS, message)
}

fn bounded_table(table: &TableType) -> Result<(), Error> {
    // Without a maximum, growth is bounded at run time.
    let elements = table.initial.max(table.maximum.unwrap_or(0));
    bounded("elements of one table", u32::try_from(elements).unwrap_or(u32::MAX), bounds::TABLE_ELEMENTS)
}

fn bounded_body(body: &FunctionBody<'_>) -> Result<(), Error> {
    let bytes = u32::try_from(body.range().len()).unwrap_or(u32::MAX);
    bounded("bytes in one function", bytes, bounds::BODY_BYTES)?;
    // The validator rejects a list of locals that cannot be read.
    let Ok(locals) = body.get_locals_reader() else { return Ok(()) };
    let count = locals.into_iter().flatten().fold(0_u32, |sum, (count, _)| sum.saturating_add(count));
    bounded("locals in one function", count, bounds::LOCALS)
}

fn memory_refusal(message: &'static str) -> Error {
    Error::new(codes::MODULE_MEMORY_TYPE, message)
}
