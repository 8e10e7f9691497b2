//! `${NAME}` in the configuration of a server. Pure.

use amelia_core::config::mcp::McpServer;

/// A variable that has no value, or may not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the MCP server `{server}` needs `${{{name}}}`, which is not set")]
pub struct MissingVariable {
    pub server: String,
    pub name: String,
}

/// The server with the values of its variables. What is no variable stays as it is.
pub fn expand(
    server: &McpServer,
    value_of: impl Fn(&str) -> Option<String>,
) -> Result<McpServer, MissingVariable> {
    let mut expanded = server.clone();
    for text in expanded.texts_mut() {
        *text = with_values(text, &value_of)
            .map_err(|name| MissingVariable { server: server.name.clone(), name })?;
    }
    Ok(expanded)
}

/// `Err` is the name of the variable that has no value.
fn with_values(text: &str, value_of: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        done.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            done.push_str("${");
            rest = after;
            continue;
        };
        done.push_str(&value_of(name).ok_or_else(|| name.to_owned())?);
        rest = after;
    }
    done.push_str(rest);
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_once_and_missing_ones_are_named() {
        let value_of = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "NESTED" => Some("${A}".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("plain $A {A}", Ok("plain $A {A}")),
            ("x${A}y${A}", Ok("x1y1")),
            ("${NESTED}", Ok("${A}")),
            ("open ${A", Ok("open ${A")),
            ("${B}", Err("B")),
        ] {
            let expanded = with_values(text, &value_of);
            assert_eq!(expanded.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }
}
