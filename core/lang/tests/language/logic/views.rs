//! Views of compiled expressions: variables, parts, and the evaluation of single parts.

use std::cell::Cell;

use adjudicate_lang::{
    Error, Steps,
    json::{self, ReadLimits},
    logic::{Form, Mode, Operator, Program, Scope, Value, VariablePath},
};

fn compile(logic: &str) -> Program {
    let logic = json::read(logic.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    Program::compile(logic.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap()
}

#[test]
fn every_variable_is_listed_with_its_pointer() {
    for (logic, expected) in [
        ("true", &[][..]),
        (r#"{"var": "a.b"}"#, &["a.b at "]),
        (r#"{"var": ""}"#, &[" at "]),
        (r#"{"var": ["a", {"var": "b"}]}"#, &["a at ", "b at /var/1"]),
        (r#"{"var": {"cat": ["a.", {"var": "b"}]}}"#, &["? at ", "b at /var/cat/1"]),
        (r#"{"/": [{"var": "a"}, {"var": "b"}]}"#, &["a at /~1/0", "b at /~1/1"]),
        (r#"{"missing": ["a", "b", {"var": "c"}]}"#, &["a at ", "b at ", "? at ", "c at /missing/2"]),
        (r#"{"missing_some": [1, ["a", "b"]]}"#, &["a at ", "b at "]),
        (
            r#"{"map": [{"filter": [{"var": "l"}, {"var": "x"}]}, {"+": [{"var": "y"}]}]}"#,
            &["l at /map/0/filter/0", "x at /map/0/filter/1 of an item", "y at /map/1/+/0 of an item"],
        ),
        (
            r#"{"reduce": [[1], {"var": "current"}, {"var": "a"}]}"#,
            &["current at /reduce/1 of an item", "a at /reduce/2"],
        ),
    ] {
        let program = compile(logic);
        let show = |variable: adjudicate_lang::logic::ExpressionVariable<'_>| {
            let path = variable.path.map_or_else(|| "?".into(), |path| path.to_string());
            let place = if variable.in_iteration { " of an item" } else { "" };
            format!("{path} at {}{place}", variable.expression.pointer())
        };
        let found: Vec<String> = program.variables().into_iter().map(show).collect();
        assert_eq!(found, expected, "{logic}");
    }
}

#[test]
fn parts_have_forms_and_pointers() {
    let program = compile(r#"{"or": [{"glob": [{"var": "a"}, "*.rs"]}, {"in": [{"+": [1, 2]}, [1, [2]]]}]}"#);
    let root = program.root();
    let [glob, within] = root.operands().collect::<Vec<_>>()[..] else { panic!("two operands") };
    assert_eq!((root.operator(), glob.operator()), (Some(Operator::Or), Some(Operator::Glob)));
    let [variable, pattern] = glob.operands().collect::<Vec<_>>()[..] else { panic!("two operands") };
    assert!(matches!(variable.form(), Form::Variable(path) if *path == VariablePath::new("a")));
    assert_eq!(pattern.constant().and_then(Value::as_text), Some("*.rs"));
    let [sum, list] = within.operands().collect::<Vec<_>>()[..] else { panic!("two operands") };
    assert_eq!((sum.pointer().as_str(), sum.operands().len()), ("/or/1/in/0", 2));
    assert_eq!(list.constant().map(Value::len), Some(2));
    let value = sum.evaluate(&Value::Null, &mut Steps::default()).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), "3");
}

#[test]
fn a_scope_determines_the_known_variables() {
    /// A scope with the list `known`; every other variable is unknown.
    struct Facts<'f>(&'f [Value<'f>]);

    impl<'v> Scope<'v> for Facts<'v> {
        fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error> {
            *out = Value::Unknown;
            match path.segments().split_first() {
                Some((first, rest)) if **first == *"known" => Value::List(self.0).descend(rest, out, steps),
                _ => Ok(()),
            }
        }
    }

    let items = [Value::from("a"), Value::from(true)];
    for (logic, expected) in [
        (r#"{"in": ["a", {"var": "known"}]}"#, Some(true)),
        (r#"{"var": "known.1"}"#, Some(true)),
        (r#"{"var": "known.2"}"#, None),
        (r#"{"var": "other"}"#, None),
        (r#"{"var": ["other", false]}"#, Some(false)),
        (r#"{"==": [{"missing": ["known.0", "other"]}, ["other"]]}"#, Some(true)),
    ] {
        let program = compile(logic);
        assert_eq!(program.holds(&Facts(&items), &mut Steps::default()), Ok(expected), "{logic}");
    }
}

/// A scope that has the values of variables by number, and counts lookups by path.
struct Numbered {
    values: Vec<Value<'static>>,
    resolved: Cell<usize>,
}

impl Scope<'static> for Numbered {
    fn resolve(&self, _: &VariablePath, out: &mut Value<'static>, _: &mut Steps) -> Result<(), Error> {
        self.resolved.set(self.resolved.get() + 1);
        *out = Value::Unknown;
        Ok(())
    }

    fn numbered(&self, number: u32, _: &mut Steps) -> Result<Option<&Value<'static>>, Error> {
        Ok(self.values.get(number as usize))
    }
}

#[test]
fn numbered_variables_are_read_by_number() {
    let known = |value: bool| Value::Bool(value);
    for (logic, expected, resolved) in [
        (r#"{"var": "a"}"#, Some(true), 0),
        (r#"{"var": "b"}"#, None, 0),
        (r#"{"var": ["b", {"var": "a"}]}"#, Some(true), 0),
        (r#"{"and": [{"var": "a"}, {"var": "a"}]}"#, Some(true), 0),
        // Not numbered, beyond the numbers of the scope, or computed.
        (r#"{"or": [{"var": "c"}, {"var": "d"}, {"var": {"cat": ["a"]}}]}"#, None, 3),
        // Within an iteration, the same name is another variable.
        (r#"{"some": [[false], {"var": "a"}]}"#, None, 0),
    ] {
        let program: &'static mut Program = Box::leak(Box::new(compile(logic)));
        program.number_variables(|path| {
            ["a", "b", "c"].iter().position(|name| path.to_string() == *name).map(|at| at as u32)
        });
        let scope = Numbered { values: vec![known(true), Value::Unknown], resolved: Cell::new(0) };
        let holds = program.holds(&scope, &mut Steps::default()).unwrap();
        assert_eq!((holds, scope.resolved.get()), (expected, resolved), "{logic}");
    }
}
