//! Where the key of a call to a model came from: the message when a provider refuses it depends on that. Pure.

/// Before the name of a program: whom it asks is not the program.
pub const PROVIDER_OF: &str = "the provider of ";

/// Where a key came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// A program has a sign-in of its own.
    #[default]
    SignIn,
    /// No variable is named, so none was sent. This one usually has the key for such a provider.
    NotSent { usual: &'static str },
    /// This variable.
    Variable(String),
}

impl KeySource {
    /// What a provider did. A program with a sign-in of its own tells in its words whether it is signed in.
    pub(crate) fn refusal(&self, detail: &str) -> &'static str {
        match self {
            Self::SignIn if is_signed_out(detail) => "is not signed in",
            Self::NotSent { .. } => "needs a key, and none was sent",
            Self::SignIn | Self::Variable(_) => "refused the key",
        }
    }

    /// What helps.
    pub(crate) fn hint(&self, provider: &str) -> String {
        let provider = provider.strip_prefix(PROVIDER_OF).unwrap_or(provider);
        match self {
            Self::SignIn => {
                format!("run `{provider}` once to sign in; or set `api_key_env` in the profile")
            }
            Self::NotSent { usual } => format!(
                "set the variable `{usual}` to the key, name it as `api_key_env` in the profile or with --api-key-env \
                 {usual}, and restart a running server: `amelia server restart`"
            ),
            Self::Variable(name) => format!(
                "check the variable `{name}`; a server that runs keeps the value it was started with until `amelia server restart`"
            ),
        }
    }
}

fn is_signed_out(detail: &str) -> bool {
    let lower = detail.to_lowercase();
    ["not logged in", "/login", "not signed in"].iter().any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_key_is_told_from_a_wrong_one() {
        let missing = KeySource::NotSent { usual: "ANTHROPIC_API_KEY" };
        assert_eq!(missing.refusal("401"), "needs a key, and none was sent");
        assert!(missing.hint("anthropic").contains("set the variable `ANTHROPIC_API_KEY`"));
        let wrong = KeySource::Variable("MY_KEY".to_owned());
        assert_eq!(wrong.refusal("401"), "refused the key");
        assert!(wrong.hint("anthropic").contains("check the variable `MY_KEY`"));
        assert_eq!(KeySource::SignIn.refusal("Please run /login"), "is not signed in");
        assert_eq!(KeySource::SignIn.refusal("401"), "refused the key");
        assert!(
            KeySource::SignIn.hint("the provider of claude").starts_with("run `claude` once to sign in; ")
        );
    }
}
