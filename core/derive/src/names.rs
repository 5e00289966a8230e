//! The names of fields and variants in documents.

/// The case of names, a value of serde's `rename_all`.
#[derive(Clone, Copy)]
pub(crate) enum Case {
    Snake,
    Camel,
    ScreamingSnake,
}

impl Case {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "snake_case" => Some(Self::Snake),
            "camelCase" => Some(Self::Camel),
            "SCREAMING_SNAKE_CASE" => Some(Self::ScreamingSnake),
            _ => None,
        }
    }

    /// Returns the name of a field, which is written in snake case.
    pub(crate) fn of_field(self, field: &str) -> String {
        match self {
            Self::Snake => field.to_owned(),
            Self::ScreamingSnake => field.to_uppercase(),
            Self::Camel => {
                let mut parts = field.split('_');
                let first = parts.next().unwrap_or_default().to_owned();
                parts.fold(first, |name, part| name + &capitalized(part))
            }
        }
    }

    /// Returns the name of a variant, which is written in Pascal case.
    pub(crate) fn of_variant(self, variant: &str) -> String {
        let mut snake = String::new();
        for letter in variant.chars() {
            if letter.is_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
        }
        self.of_field(&snake)
    }
}

fn capitalized(part: &str) -> String {
    let mut letters = part.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_serde() {
        for (case, field, variant) in [
            ("snake_case", "exit_codes", "killed_timeout"),
            ("camelCase", "exitCodes", "killedTimeout"),
            ("SCREAMING_SNAKE_CASE", "EXIT_CODES", "KILLED_TIMEOUT"),
        ] {
            let case = Case::named(case).expect("a case");
            assert_eq!(
                (case.of_field("exit_codes").as_str(), case.of_variant("KilledTimeout").as_str()),
                (field, variant)
            );
        }
        assert!(Case::named("kebab-case").is_none());
    }
}
