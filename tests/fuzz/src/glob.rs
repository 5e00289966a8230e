//! Any pattern against any path: within the budget, and a directory that matches includes its contents.
#![no_main]

use adjudicate_core::{
    Steps,
    paths::{Glob, Path, Pattern, normalize},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Some((pattern, path)) = text.split_once('\n') else { return };
    let Ok(pattern) = Pattern::new(pattern) else { return };
    let path = normalize(path);
    assert_eq!(normalize(&path), path, "normalising twice changes nothing");
    let Ok(glob) = Glob::compile(pattern, &mut Steps::default()) else { return };
    let inside = format!("{path}/inside");
    let of_path = glob.matches(&Path::split(&path), &mut Steps::default());
    let of_inside = glob.matches(&Path::split(&inside), &mut Steps::default());
    if let (false, Ok(true), Ok(of_inside)) = (path.is_empty(), of_path, of_inside) {
        assert!(of_inside, "`{}` matches `{path}` and not `{inside}`", glob.text());
    }
});
