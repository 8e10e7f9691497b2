//! Python's spelling of an expression, rewritten to that of CEL outside of strings. Pure.

use super::ConditionError;

/// An expression of CEL that knows where its characters came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rewritten {
    pub(super) text: String,
    /// For every character of `text`: which character of the original it stands for.
    origins: Vec<usize>,
}

impl Rewritten {
    /// The column in the original, from 1, of a character of the rewritten text.
    pub(super) fn column(&self, offset: usize) -> usize {
        self.origins.get(offset).or(self.origins.last()).map_or(1, |origin| origin + 1)
    }

    fn push(&mut self, text: &str, origin: usize) {
        self.text.push_str(text);
        self.origins.extend(std::iter::repeat_n(origin, text.chars().count()));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    Text,
    Other,
}

#[derive(Debug, Clone)]
struct Token {
    kind: TokenKind,
    text: String,
    at: usize,
}

/// Words of Python that have no counterpart.
const FOREIGN: [&str; 5] = ["if", "else", "for", "lambda", "is"];

/// The parser and the evaluation call themselves for everything that stands inside something else.
const MAX_TOKENS: usize = 160;
const MAX_NESTING: usize = 24;

pub(super) fn to_cel(text: &str) -> Result<Rewritten, ConditionError> {
    let tokens = tokens(text)?;
    check_size(&tokens)?;
    let mut out = Rewritten { text: String::new(), origins: Vec::new() };
    // Depths at which a `not` waits for the end of what it negates.
    let mut negated: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    let mut rest = tokens.as_slice();
    while let [token, after @ ..] = rest {
        rest = after;
        let word = if token.kind == TokenKind::Word { token.text.as_str() } else { "" };
        let symbol = if token.kind == TokenKind::Other { token.text.as_str() } else { "" };
        let ends = matches!(word, "and" | "or") || matches!(symbol, "&" | "|" | "?" | ":" | "," | ")" | "]");
        if ends {
            let closes = matches!(symbol, ")" | "]");
            while negated.last().is_some_and(|at| *at == depth) {
                negated.pop();
                out.push(")", token.at);
            }
            depth = depth.saturating_sub(usize::from(closes));
        }
        if matches!(symbol, "(" | "[") {
            depth += 1;
        }
        match word {
            "and" => out.push("&&", token.at),
            "or" => out.push("||", token.at),
            "not" => {
                if next_word(after) == Some("in") {
                    return Err(error(token, "`not in` is written `!(x in list)`"));
                }
                negated.push(depth);
                out.push("!(", token.at);
            }
            "True" => out.push("true", token.at),
            "False" => out.push("false", token.at),
            "None" => out.push("null", token.at),
            "len" => out.push("size", token.at),
            "get" if out.text.ends_with('.') => {
                let Some((key, left)) = key_of_get(after) else {
                    return Err(error(token, "`.get` takes one key: `.get('key')`"));
                };
                out.text.pop();
                out.origins.pop();
                out.push(&format!("[{key}]"), token.at);
                rest = left;
            }
            word if FOREIGN.contains(&word) => {
                return Err(error(token, &format!("`{word}` is Python; a condition is a CEL expression")));
            }
            _ => {
                for (index, character) in token.text.chars().enumerate() {
                    out.push(character.encode_utf8(&mut [0; 4]), token.at + index);
                }
            }
        }
    }
    for _ in negated {
        out.push(")", text.chars().count().saturating_sub(1));
    }
    Ok(out)
}

/// Refuses what would be nested too deeply.
fn check_size(tokens: &[Token]) -> Result<(), ConditionError> {
    let mut written = tokens.iter().filter(|token| !token.text.trim().is_empty());
    if let Some(token) = written.clone().nth(MAX_TOKENS) {
        return Err(error(token, "the expression is too long"));
    }
    const NESTING: [&str; 11] = ["(", "[", "{", "?", "!", "not", "-", "+", "*", "/", "%"];
    let nests = |token: &&Token| NESTING.contains(&token.text.as_str());
    match written.by_ref().filter(nests).nth(MAX_NESTING) {
        Some(token) => Err(error(token, "the expression is nested too deeply")),
        None => Ok(()),
    }
}

fn next_word(tokens: &[Token]) -> Option<&str> {
    tokens.iter().find(|token| !token.text.trim().is_empty()).map(|token| token.text.as_str())
}

/// The key in `('key')`, and what follows.
fn key_of_get(tokens: &[Token]) -> Option<(&str, &[Token])> {
    match tokens {
        [open, key, close, rest @ ..]
            if open.text == "(" && key.kind == TokenKind::Text && close.text == ")" =>
        {
            Some((key.text.as_str(), rest))
        }
        _ => None,
    }
}

fn error(token: &Token, message: &str) -> ConditionError {
    ConditionError { column: token.at + 1, message: message.to_owned() }
}

/// Words, strings, and every other character for itself.
fn tokens(text: &str) -> Result<Vec<Token>, ConditionError> {
    let mut all = Vec::new();
    let mut characters = text.chars().enumerate().peekable();
    while let Some((at, first)) = characters.next() {
        let mut token = Token { kind: TokenKind::Other, text: first.to_string(), at };
        if first.is_alphanumeric() || first == '_' {
            token.kind = TokenKind::Word;
            while let Some((_, next)) = characters.next_if(|(_, next)| next.is_alphanumeric() || *next == '_')
            {
                token.text.push(next);
            }
        } else if first == '"' || first == '\'' {
            token.kind = TokenKind::Text;
            let mut is_escaped = false;
            loop {
                let Some((_, next)) = characters.next() else {
                    return Err(error(&token, "this string is not closed"));
                };
                token.text.push(next);
                if next == first && !is_escaped {
                    break;
                }
                is_escaped = next == '\\' && !is_escaped;
            }
        }
        all.push(token);
    }
    Ok(all)
}
