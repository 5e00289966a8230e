//! Circles among the files of a crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::imports::{modules, paths};

/// The names of the modules from the top of the crate to a module.
type ModulePath = Vec<String>;

/// A file of a crate: its module, and its text.
type File = (ModulePath, String);

/// The modules that each module names, of those with the same parent.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The circles among the files of a crate: sets of modules with the same parent, each of which needs all others. The modules
/// inside of a module count as that module. A module and its own children may need each other.
pub(super) fn circles(root: &Path) -> BTreeSet<BTreeSet<String>> {
    let source = fs::read_to_string(root).expect("the first file of a crate can be read");
    let folder = root.parent().expect("a file is in a folder");
    let mut files = Vec::new();
    for module in modules(&source) {
        collect(&folder.join(module), Vec::from([module.to_owned()]), &mut files);
    }
    files.push((Vec::new(), source));
    in_circles(&arrows(&files))
}

/// Reads a module at `place`, which is the path of its folder and of its file without the ending.
fn collect(place: &Path, module: ModulePath, files: &mut Vec<File>) {
    let own = [place.with_extension("rs"), place.join("mod.rs")];
    let Some(text) = own.iter().find_map(|file| fs::read_to_string(file).ok()) else { return };
    for name in modules(&text) {
        let inner = module.iter().cloned().chain([name.to_owned()]).collect();
        collect(&place.join(name), inner, files);
    }
    files.push((module, text));
}

fn arrows(files: &[File]) -> Arrows {
    let exports = Exports::new(files);
    let mut arrows = Arrows::new();
    for (module, text) in files {
        for path in paths(text) {
            let Some(path) = absolute(module, &path) else { continue };
            let target = exports.resolve(path);
            let shared = module.iter().zip(&target).take_while(|(own, other)| own == other).count();
            // If one is inside of the other, there is no arrow.
            if let (Some(own), Some(other)) = (module.get(..=shared), target.get(..=shared)) {
                arrows.entry(own.join("::")).or_default().insert(other.join("::"));
            }
        }
    }
    arrows
}

/// A path of a file, seen from the top of the crate; `None` for the paths of other crates and of the module's own children.
fn absolute(module: &[String], path: &[&str]) -> Option<ModulePath> {
    let ups = path.iter().take_while(|name| **name == "super").count();
    let (start, rest) = match path.first() {
        Some(&"crate") => (&[][..], &path[1..]),
        Some(&"super") => (module.get(..module.len().checked_sub(ups)?)?, &path[ups..]),
        _ => return None,
    };
    Some(start.iter().cloned().chain(rest.iter().map(ToString::to_string)).collect())
}

/// The modules of a crate, and the names that each takes from its children: a path from the module to the name.
struct Exports<'f>(BTreeMap<&'f [String], BTreeMap<&'f str, Vec<&'f str>>>);

impl<'f> Exports<'f> {
    fn new(files: &'f [File]) -> Self {
        let known: BTreeSet<&[String]> = files.iter().map(|(module, _)| module.as_slice()).collect();
        let exports = |(module, text): &'f File| {
            let named = paths(text).into_iter().filter_map(|path| {
                let is_prefix = |name: &&str| *name == "self" || (module.is_empty() && *name == "crate");
                let path: Vec<&str> = path.into_iter().skip_while(is_prefix).collect();
                let child: ModulePath = module.iter().cloned().chain([(*path.first()?).to_owned()]).collect();
                known.contains(child.as_slice()).then_some((*path.last()?, path))
            });
            (module.as_slice(), named.collect())
        };
        Self(files.iter().map(exports).collect())
    }

    /// The module that defines the item at a path from the top of the crate.
    fn resolve(&self, path: ModulePath) -> ModulePath {
        let (mut module, mut rest) = (ModulePath::new(), path);
        while !rest.is_empty() {
            let name = rest.remove(0);
            module.push(name.clone());
            if self.0.contains_key(module.as_slice()) {
                continue;
            }
            module.pop();
            let Some(path) = self.0.get(module.as_slice()).and_then(|names| names.get(name.as_str())) else {
                break;
            };
            rest.splice(..0, path.iter().map(ToString::to_string));
        }
        module
    }
}

fn in_circles(arrows: &Arrows) -> BTreeSet<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|module| (module, reached(module, arrows))).collect();
    let circle = |module: &String| -> BTreeSet<String> {
        let is_back = |other: &&&String| reached.get(**other).is_some_and(|back| back.contains(module));
        reached[module].iter().filter(is_back).map(|other| (*other).clone()).collect()
    };
    arrows.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// All modules that a module needs, directly or not.
fn reached<'a>(module: &String, arrows: &'a Arrows) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = arrows[module].iter().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten());
        }
    }
    reached
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let file = |module: &str, text: &str| -> File {
        (module.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect(), text.to_owned())
    };
    let root = || file("", "mod a;\nmod b;\nmod c;\npub use c::Thing;\n");
    let found = |files: &[File]| -> Vec<Vec<String>> {
        in_circles(&arrows(files)).into_iter().map(|circle| circle.into_iter().collect()).collect()
    };
    for (first, second, third) in [
        ("use crate::{b::X};", "use crate::a::Y;", ""),
        ("fn x(_: crate::b::X) {}", "use super::a::Y;", ""),
        ("use super::b;", "use crate::a::{Y, Z};", "use crate::a;"),
    ] {
        let files = [root(), file("a", first), file("b", second), file("c", third)];
        assert_eq!(found(&files), [["a", "b"]], "{first} {second}");
    }
    let all = [
        root(),
        file("a", "mod deep;"),
        file("a/deep", "use super::super::b;"),
        file("b", "use crate::Thing;"),
        file("c", "use crate::a;"),
    ];
    assert_eq!(found(&all), [["a", "b", "c"]]);
    let none = [
        root(),
        file("a", "use crate::b;\nuse deep::Y;"),
        file("a/deep", "use super::x;"),
        file("b", "use crate::Thing;"),
        file("c", ""),
    ];
    assert_eq!(found(&none), Vec::<Vec<String>>::new());
}

#[test]
fn a_circle_inside_of_a_module_is_found() {
    let file = |module: &str, text: &str| -> File {
        (module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect(), text.to_owned())
    };
    let found = |first: &str, second: &str| -> Vec<Vec<String>> {
        let files = [
            file("", "mod a;"),
            file("a", "mod b;\nmod c;\npub use c::Thing;"),
            file("a::b", first),
            file("a::b::d", "use crate::a::c::X;"),
            file("a::c", second),
        ];
        in_circles(&arrows(&files)).into_iter().map(|circle| circle.into_iter().collect()).collect()
    };
    for (first, second) in [
        ("use super::c::X;", "use super::b::Y;"),
        ("use super::Thing;", "fn y(_: crate::a::b::Y) {}"),
        ("mod d;", "use super::b::d::Y;"),
    ] {
        assert_eq!(found(first, second), [["a::b", "a::c"]], "{first} {second}");
    }
    assert_eq!(found("use super::c::X;", "use super::x;\nuse crate::a::y;"), Vec::<Vec<String>>::new());
}
