//! `run COMMAND [as NAME]`.

use super::SentenceForm;

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "run COMMAND [as NAME]",
    read: |sentence, draft| {
        let command = sentence.strip_prefix("run ")?.trim();
        let (command, name) = match command.rsplit_once(" as ") {
            Some((command, name)) if !name.contains(char::is_whitespace) => (command.trim(), name.to_owned()),
            _ => (command, name_of(command)),
        };
        draft.commands.push((name, command.to_owned()));
        Some(Ok(()))
    },
};

/// Returns the name of a command: its first two words, as far as a validator's id may have their letters.
fn name_of(command: &str) -> String {
    let words = command.split_whitespace().take(2).collect::<Vec<_>>().join("-");
    let name: String =
        words.chars().filter(|letter| letter.is_ascii_alphanumeric() || "._-".contains(*letter)).collect();
    match name.trim_start_matches(['.', '_', '-']) {
        "" => "command".to_owned(),
        name => name.to_owned(),
    }
}
