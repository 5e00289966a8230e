//! Circles among the modules of a crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::imports::{modules, paths};

/// The modules that each module at the top of a crate names.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The circles among the modules that a crate's first file declares: sets of modules each of which needs all others. What a module
/// has inside of it counts as the module.
pub(super) fn circles(root: &Path) -> BTreeSet<BTreeSet<String>> {
    let source = fs::read_to_string(root).expect("the first file of a crate can be read");
    let mut files = Vec::new();
    for module in modules(&source) {
        let folder = root.parent().expect("a file is in a folder");
        collect(&folder.join(module), Vec::from([module.to_owned()]), &mut files);
    }
    in_circles(&arrows(&source, &files))
}

/// A file of a crate: the path of its module, and its text.
type File = (Vec<String>, String);

/// Reads a module at `place`, which is the folder of its parts and the name of its file without an ending.
fn collect(place: &Path, module: Vec<String>, files: &mut Vec<File>) {
    let own = [place.with_extension("rs"), place.join("mod.rs")];
    let Some(text) = own.iter().find_map(|file| fs::read_to_string(file).ok()) else { return };
    for name in modules(&text) {
        let inner = module.iter().cloned().chain([name.to_owned()]).collect();
        collect(&place.join(name), inner, files);
    }
    files.push((module, text));
}

fn arrows(root: &str, files: &[File]) -> Arrows {
    let top: BTreeSet<&str> = modules(root).into_iter().collect();
    // Names that the crate's first file exports belong to the modules that they are from.
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for path in paths(root) {
        let mut names = path.iter().copied().skip_while(|name| ["crate", "self"].contains(name));
        if let Some((home, name)) = names.next().filter(|home| top.contains(home)).zip(path.last()) {
            homes.insert(name, home);
        }
    }
    let mut arrows: Arrows = top.iter().map(|module| ((*module).to_owned(), BTreeSet::new())).collect();
    for (module, text) in files {
        let (Some(own), names) = (module.first(), targets(module, text)) else { continue };
        let named =
            names.iter().filter_map(|name| top.get(name.as_str()).or_else(|| homes.get(name.as_str())));
        arrows
            .entry(own.clone())
            .or_default()
            .extend(named.filter(|name| *name != own).map(|name| (*name).to_owned()));
    }
    arrows
}

/// The first names, from the top of the crate, of the paths in a file.
fn targets(module: &[String], text: &str) -> BTreeSet<String> {
    let target = |path: Vec<&str>| {
        let ups = path.iter().take_while(|name| **name == "super").count();
        match path.first() {
            Some(&"crate") => path.get(1).map(ToString::to_string),
            Some(&"super") if ups < module.len() => module.first().cloned(),
            Some(&"super") => path.get(ups).map(ToString::to_string),
            _ => None,
        }
    };
    paths(text).into_iter().filter_map(target).collect()
}

fn in_circles(arrows: &Arrows) -> BTreeSet<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|module| (module, reached(module, arrows))).collect();
    let circle = |module: &String| -> BTreeSet<String> {
        let back = reached[module].iter().filter(|other| reached[**other].contains(module));
        back.map(|other| (*other).clone()).collect()
    };
    arrows.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// All modules that one needs, directly or not.
fn reached<'a>(module: &String, arrows: &'a Arrows) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = arrows[module].iter().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(&arrows[next]);
        }
    }
    reached
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let file = |module: &str, text: &str| (module.split('/').map(str::to_owned).collect(), text.to_owned());
    let root = "mod a;\nmod b;\nmod c;\npub use c::Thing;\n";
    let found = |files: &[File]| -> Vec<Vec<String>> {
        in_circles(&arrows(root, files)).into_iter().map(|circle| circle.into_iter().collect()).collect()
    };
    for (first, second, third) in [
        ("use crate::{b::X};", "use crate::a::Y;", ""),
        ("fn x(_: crate::b::X) {}", "use super::a::Y;", ""),
        ("use super::b;", "use crate::a::{Y, Z};", "use crate::a;"),
    ] {
        let files = [file("a", first), file("b", second), file("c", third)];
        assert_eq!(found(&files), [["a", "b"]], "{first} {second}");
    }
    let all =
        [file("a/deep", "use super::super::b;"), file("b", "use crate::Thing;"), file("c", "use crate::a;")];
    assert_eq!(found(&all), [["a", "b", "c"]]);
    let none = [file("a", "use crate::b;"), file("a/deep", "use super::x;"), file("b", "use crate::Thing;")];
    assert_eq!(found(&none), Vec::<Vec<String>>::new());
}
