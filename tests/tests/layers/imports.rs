//! The paths that a Rust source names: those of its `use` declarations, and those that begin with `crate` or `super`.

/// A token of a source: a name, or another character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'s> {
    Name(&'s str),
    Sign(char),
}

/// The names of the modules that a file declares in files of their own, without its tests.
pub(super) fn modules(source: &str) -> Vec<&str> {
    let tokens = tokens(source);
    let declared = tokens.windows(3).filter_map(|three| match three {
        [Token::Name("mod"), Token::Name(name), Token::Sign(';')] => Some(*name),
        _ => None,
    });
    declared.filter(|name| *name != "tests").collect()
}

/// The paths, each as its names.
pub(super) fn paths(source: &str) -> Vec<Vec<&str>> {
    let tokens = tokens(source);
    let (mut paths, mut rest) = (Vec::new(), tokens.as_slice());
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        match token {
            Token::Name("use") => rest = tree(rest, &[], &mut paths),
            Token::Name("crate" | "super") => {
                let path: Vec<&str> = plain(std::slice::from_ref(token)).chain(plain(after)).collect();
                rest = after.get(path.len() - 1..).unwrap_or_default();
                // A lone `crate` or `super` is a visibility.
                if path.len() > 1 {
                    paths.push(path);
                }
            }
            _ => {}
        }
    }
    paths
}

/// The names at the start; colons between them are dropped with the white space.
fn plain<'t, 's>(tokens: &'t [Token<'s>]) -> impl Iterator<Item = &'s str> + use<'t, 's> {
    tokens.iter().map_while(|token| match token {
        Token::Name(name) => Some(*name),
        Token::Sign(_) => None,
    })
}

/// Reads a tree of a declaration up to its end. Returns the rest.
fn tree<'t, 's>(
    tokens: &'t [Token<'s>],
    outer: &[&'s str],
    paths: &mut Vec<Vec<&'s str>>,
) -> &'t [Token<'s>] {
    let mut path = outer.to_vec();
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        match token {
            Token::Name("as") => rest = after.get(1..).unwrap_or_default(),
            Token::Name(name) => {
                path.push(name);
                rest = after;
            }
            Token::Sign('*') => rest = after,
            Token::Sign('{') => {
                rest = after;
                while !matches!(rest.first(), None | Some(Token::Sign('}'))) {
                    rest = tree(rest, &path, paths);
                    rest = rest.strip_prefix(&[Token::Sign(',')]).unwrap_or(rest);
                }
                return rest.get(1..).unwrap_or_default();
            }
            Token::Sign(_) => break,
        }
    }
    paths.push(path);
    rest
}

/// The tokens of a source without comments, colons, and the tests at its end.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let end = source.find("#[cfg(test)]\nmod tests {").unwrap_or(source.len());
    let lines = source[..end].lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    for line in lines {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let len = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (token, len) = match len {
                0 => (Token::Sign(first), first.len_utf8()),
                _ => (Token::Name(&rest[..len]), len),
            };
            if token != Token::Sign(':') {
                tokens.push(token);
            }
            rest = rest[len..].trim_start();
        }
    }
    tokens
}

#[test]
fn paths_of_declarations_and_in_between_are_read() {
    let source = "//! crate::comment\n\
        pub(crate) use crate::{a::{self, B as C}, d::*, e};\nuse super::super::f;\nuse std::fmt;\n\
        fn g(x: crate::h::I) -> impl Sized { super::j(x) }\nmod k;\n#[cfg(test)]\nmod tests {\n    use crate::l;\n}\n";
    let paths: Vec<String> = paths(source).iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a::self",
        "crate::a::B",
        "crate::d",
        "crate::e",
        "super::super::f",
        "std::fmt",
        "crate::h::I",
        "super::j",
    ];
    assert_eq!(paths, expected);
    assert_eq!(modules(source), ["k"]);
}
