//! The methods of operations in the npm package. `js/src/words.ts` has the table of their arguments, and
//! `js/src/derived-operations.ts` declares the methods that no other file declares.

use adjudicate_core::{
    Operation,
    document::{Content, Describe, Type, plain},
};

use super::{
    types::Usage,
    writer::{type_of, wrapped},
};

/// The operations whose methods are declared by hand, with more documentation than the table of operations has: in
/// `js/src/operations.ts`, `plans.ts` and `policy.ts`.
const WRITTEN: [Operation; 11] = [
    Operation::Evaluate,
    Operation::Refine,
    Operation::ValidatePlan,
    Operation::MergeDiagnostics,
    Operation::ObserveOutput,
    Operation::ApplyGuardrails,
    Operation::NormalizePlan,
    Operation::VerifyReplay,
    Operation::Deliberate,
    Operation::CheckPolicy,
    Operation::Explain,
];

/// The arguments of the methods of an operation.
pub(crate) struct Arguments {
    pub operation: Operation,
    /// The documents: the first argument, and options. Without documents, the only argument is a call.
    pub documents: Vec<&'static str>,
    /// The options that are true or false.
    pub flags: Vec<&'static str>,
}

impl Arguments {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Operation::ALL.iter().map(|operation| {
            let documents = operation.documents().to_vec();
            let (_, fields) = call(*operation);
            let flags =
                fields.into_iter().filter(|(_, kind)| matches!(kind, Type::Bool) && !documents.is_empty());
            Self { operation: *operation, flags: flags.map(|(name, _)| name).collect(), documents }
        })
    }

    /// Returns the arguments of the methods of a parsed policy, if there are any.
    pub(crate) fn under_policy(mut self) -> Option<Self> {
        let before = self.documents.len();
        self.documents.retain(|name| *name != "policy");
        (self.documents.len() < before).then_some(self)
    }

    /// Returns the name of the method for values.
    pub(crate) fn method(&self) -> String {
        // A method of a policy that checks the policy itself.
        let shorter = self.operation.name().replace("_policy", "");
        let name = if self.is_on_policy() { &shorter } else { self.operation.name() };
        let mut words = name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| {
            let (head, tail) = word.split_at(1);
            name + &head.to_uppercase() + tail
        })
    }

    fn is_on_policy(&self) -> bool {
        self.documents.is_empty() && !self.operation.documents().is_empty()
    }

    /// Returns the names of the options.
    fn options(&self) -> impl Iterator<Item = &'static str> {
        self.documents.iter().skip(1).chain(&self.flags).copied()
    }

    /// Returns the method with its arguments.
    pub(crate) fn form(&self) -> String {
        let options: Vec<_> = self.options().collect();
        let arguments = match (self.documents.first(), options.as_slice()) {
            (None, _) if self.is_on_policy() => String::new(),
            (None, _) => whole_call(self.operation),
            (Some(document), []) => (*document).to_owned(),
            (Some(document), options) => format!("{document}, {{ {} }}", options.join(", ")),
        };
        format!("{}({arguments})", self.method())
    }

    /// Returns the first argument, for error messages.
    fn expected(&self) -> String {
        match self.documents.first() {
            Some(&"envelope") => "an envelope".to_owned(),
            Some(document) => format!("a {document} document"),
            None => match whole_call(self.operation) {
                call if call.starts_with('{') => format!("`{call}`"),
                name => format!("the {name}"),
            },
        }
    }

    /// Returns the declarations of the two methods of `owner`.
    fn declarations(&self, owner: &str) -> String {
        let (call_type, _) = call(self.operation);
        let (name, operation) = (self.method(), self.operation.name());
        let input = match self.documents.first() {
            Some(document) if !self.operation.is_bare() || owner == "policy" => {
                format!("{document}: types.{call_type}[\"{document}\"]")
            }
            Some(document) => format!("{document}: types.Calls[\"{operation}\"]"),
            None if self.is_on_policy() => String::new(),
            None => format!("call: types.Calls[\"{operation}\"]"),
        };
        let text = match self.is_on_policy() {
            true => String::new(),
            false => format!("{}: JsonText", self.documents.first().unwrap_or(&"call")),
        };
        let (values, texts) = (self.option_types(&call_type, false), self.option_types(&call_type, true));
        let [example, text_example] = self.examples(owner);
        let about = about(self.operation);
        let throws =
            "@throws {AdjudicateError} if the input is not of the documented form, or has no JSON form.";
        let same = format!("The same as the method `{name}`, from JSON text to JSON text.");
        let limit = format!(
            "@throws {{AdjudicateError}} as the method `{name}`; `limit_exceeded` for more than 8 MiB."
        );
        format!(
            "{}  {name}({input}{values}): types.Answers[\"{operation}\"];\n\n{}  {name}Text({text}{texts}): string;\n",
            documented(&about, &example, throws),
            documented(&same, &text_example, &limit),
        )
    }

    fn option_types(&self, call: &str, is_text: bool) -> String {
        let options = self.options().map(|name| match name {
            flag if self.flags.contains(&flag) => format!("{flag}?: boolean"),
            "policy" if is_text => "policy?: JsonText | EvaluatePolicy | null".to_owned(),
            "policy" => "policy?: types.PolicyDocument | EvaluatePolicy | null".to_owned(),
            name if is_text => format!("{name}?: JsonText | null"),
            name => format!("{name}?: types.{call}[\"{name}\"] | null"),
        });
        let options: Vec<_> = options.collect();
        if options.is_empty() { String::new() } else { format!(", options?: {{ {} }}", options.join("; ")) }
    }

    fn examples(&self, owner: &str) -> [String; 2] {
        let form = |is_text: bool| {
            let suffix = if is_text { "Text" } else { "" };
            if self.is_on_policy() {
                return format!("{}{suffix}()", self.method());
            }
            let Some(document) = self.documents.first() else {
                let example = self.operation.example();
                let text = format!("'{}'", example.replace('\\', r"\\").replace('\'', r"\'"));
                return format!("{}{suffix}({})", self.method(), if is_text { &text } else { example });
            };
            let others = self.documents.iter().skip(1).map(|name| match is_text {
                true => format!("{name}: {name}Text"),
                false => (*name).to_owned(),
            });
            let others =
                others.chain(self.flags.iter().map(|flag| format!("{flag}: true"))).collect::<Vec<_>>();
            let options =
                if others.is_empty() { String::new() } else { format!(", {{ {} }}", others.join(", ")) };
            format!("{}{suffix}({document}{suffix}{options})", self.method())
        };
        [false, true].map(|is_text| format!("const answer = {owner}.{};", form(is_text)))
    }
}

/// Returns the name of the type of a call, and its fields.
fn call(operation: Operation) -> (String, Vec<(&'static str, Type)>) {
    let [row, _] = operation.documents_of_call();
    let kind = match (row.describe)() {
        Type::Either(kinds) => kinds.into_iter().next().expect("a call comes first"),
        kind => kind,
    };
    let Type::Named(definition) = &kind else { panic!("a call has a name") };
    let fields = definition.fields().filter(|field| field.name != "$schema");
    let fields = fields.map(|field| (field.name, (field.describe)())).collect();
    (type_of(&kind, Usage::INPUT), fields)
}

/// Returns a call that is one document: its fields, or the name of a document that is no call.
fn whole_call(operation: Operation) -> String {
    let (_, fields) = call(operation);
    let names: Vec<_> = fields.into_iter().map(|(name, _)| name).collect();
    match operation.input().strip_suffix("-call") {
        Some(_) => format!("{{ {} }}", names.join(", ")),
        None => operation.input().replace('-', " "),
    }
}

/// Returns the doc comment of an operation.
fn about(operation: Operation) -> String {
    let Type::Named(definition) = Operation::describe() else { panic!("it has a name") };
    let Content::Words(words) = definition.content else { panic!("it is a list of words") };
    let word = words.iter().find(|word| word.name == operation.name()).expect("a word for each operation");
    plain(word.about)
}

fn documented(about: &str, example: &str, throws: &str) -> String {
    let lines = wrapped(about).into_iter().chain([
        "".into(),
        "```js".into(),
        example.into(),
        "```".into(),
        "".into(),
    ]);
    let lines = lines.chain(wrapped(throws)).map(|line| format!("   * {line}").trim_end().to_owned() + "\n");
    format!("  /**\n{}   */\n", lines.collect::<String>())
}

/// Returns the constants of `js/src/words.ts`.
pub(super) fn constants() -> String {
    let quoted = |names: &[&str]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let (mut documents, mut flags, mut rows) = (Vec::new(), Vec::new(), String::new());
    for arguments in Arguments::all() {
        let Arguments { operation, documents: own, flags: own_flags } = &arguments;
        documents.extend(own.iter().filter(|name| !documents.contains(*name)).copied().collect::<Vec<_>>());
        flags.extend(own_flags.iter().filter(|name| !flags.contains(*name)).copied().collect::<Vec<_>>());
        rows += &format!(
            "  {{ operation: {:?}, documents: [{}], flags: [{}], expected: {:?} }},\n",
            operation.name(),
            quoted(own),
            quoted(own_flags),
            arguments.expected(),
        );
    }
    format!(
        "\n/** The documents of calls that are arguments of their own. */\n\
         export const DOCUMENTS = [{}] as const;\n\
         \n/** The options of calls that are true or false. */\n\
         export const FLAGS = [{}] as const;\n\
         \n/** The arguments of an operation. */\n\
         export interface OperationForm {{\n  readonly operation: OperationName;\n\
         \x20 /** The first argument, and options. Without documents, the only argument is a call. */\n\
         \x20 readonly documents: readonly (typeof DOCUMENTS)[number][];\n\
         \x20 readonly flags: readonly (typeof FLAGS)[number][];\n\
         \x20 /** The first argument, for error messages. */\n  readonly expected: string;\n}}\n\
         \n/** The operations. */\n\
         export const OPERATIONS: readonly OperationForm[] = [\n{rows}];\n",
        quoted(&documents),
        quoted(&flags),
    )
}

/// Returns the text of `js/src/derived-operations.ts`.
pub(super) fn file() -> String {
    let derived = || Arguments::all().filter(|arguments| !WRITTEN.contains(&arguments.operation));
    let of_engines: Vec<_> = derived().map(|arguments| arguments.declarations("engine")).collect();
    let of_policies: Vec<_> = derived()
        .filter_map(Arguments::under_policy)
        .map(|arguments| arguments.declarations("policy"))
        .collect();
    format!(
        "/** The operations that no other file declares. `cargo xtask generate` writes this file from the table of operations. */\n\
         import type * as types from \"./generated/types.js\";\nimport type {{ EvaluatePolicy }} from \"./policy.js\";\n\
         import type {{ JsonText }} from \"./text.js\";\n\
         \n/** Operations of engines and modules, each for values and for JSON text. */\n\
         export interface DerivedOperations {{\n{}}}\n\
         \n/** Operations of parsed policies, each for values and for JSON text. */\n\
         export interface DerivedPolicyOperations {{\n{}}}\n",
        of_engines.join("\n"),
        of_policies.join("\n"),
    )
}
