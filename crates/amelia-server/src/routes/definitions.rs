//! What the handlers of agents, workflows, teams and guardrail policies share. Those in files are only shown; those that were
//! sent here can be changed, too.

use amelia_core::config::problem::ConfigProblem;
use amelia_core::definition::DefinitionKind;
use amelia_wire::error::Code;
use amelia_wire::read::{Incoming, Refused};
use amelia_wire::rest::definition::{DefinitionOrigin, DefinitionPlace, DefinitionProblem};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

use crate::error::{ApiError, ApiResult, with_status};
use crate::request::{JsonBody, if_match, tag};
use crate::state::App;

/// The longest name of what is sent here.
const MAX_NAME: usize = 64;
/// A path below `/teams`, so no team can be reached by this name.
const TAKEN: &str = "validate";

/// Keeps a new definition; its name.
pub(super) async fn create<W>(app: &App, kind: DefinitionKind, body: JsonBody) -> ApiResult<String>
where
    W: Incoming + Serialize + From<W::Core>,
{
    let (name, text) = checked::<W>(app, kind, body).await?;
    if let Some(other) = app.state.machine.place_of(kind, &name).await? {
        let message = format!("the {} `{name}` exists already", kind.noun());
        let hint = match other.source {
            DefinitionOrigin::Api => format!("PUT to the path of `{name}` changes it"),
            DefinitionOrigin::Repository | DefinitionOrigin::Home => format!("change {}", other.path),
        };
        return Err(ApiError::new(Code::Conflict, message).hint(hint));
    }
    app.state.definitions.put(kind, &name, text, None).await?;
    Ok(name)
}

/// Keeps a definition, new or changed.
pub(super) async fn replace<W>(
    app: &App,
    kind: DefinitionKind,
    name: &str,
    headers: &HeaderMap,
    mut body: JsonBody,
) -> ApiResult<()>
where
    W: Incoming + Serialize + From<W::Core>,
{
    body.default_field("name", name);
    let (own, text) = checked::<W>(app, kind, body).await?;
    if own != name {
        let message = format!("name: `{own}` differs from the path");
        let hint = format!("create a new {} and delete this one", kind.noun());
        return Err(ApiError::new(Code::Invalid, message).hint(hint));
    }
    not_a_file(app, kind, name).await?;
    Ok(app.state.definitions.put(kind, name, text, if_match(headers)?).await?)
}

/// Forgets a definition that was sent here.
pub(super) async fn delete(app: &App, kind: DefinitionKind, name: &str) -> ApiResult<Response> {
    if app.state.definitions.delete(kind, name).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    not_a_file(app, kind, name).await?;
    Err(ApiError::new(Code::NotFound, format!("there is no {} `{name}`", kind.noun())))
}

/// A definition, with its version if it can be changed here.
pub(super) async fn answer(
    app: &App,
    kind: DefinitionKind,
    status: StatusCode,
    place: &DefinitionPlace,
    detail: &impl Serialize,
) -> ApiResult<Response> {
    let response = with_status(status, detail);
    if place.source != DefinitionOrigin::Api {
        return Ok(response);
    }
    let version = app.state.definitions.version(kind, &place.name).await?;
    Ok(([(header::ETAG, tag(version))], response).into_response())
}

/// The name and the text of a definition that can be kept here.
async fn checked<W>(app: &App, kind: DefinitionKind, body: JsonBody) -> ApiResult<(String, String)>
where
    W: Incoming + Serialize + From<W::Core>,
{
    let unwritable = |error: serde_json::Error| ApiError::new(Code::Invalid, error.to_string());
    let document = serde_json::to_value(W::from(body.read::<W>()?)).map_err(unwritable)?;
    let name = document.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !is_name(&name) {
        let message =
            format!("must have 1 to {MAX_NAME} letters, digits, `_`, `-` and `.`, and not be `{TAKEN}`");
        return Err(Refused(vec![ConfigProblem { path: "name".to_owned(), message }]).into());
    }
    let text = serde_json::to_string_pretty(&document).map_err(unwritable)?;
    let problems = app.state.machine.check_sent(kind, &name, text.clone()).await?;
    if problems.is_empty() {
        return Ok((name, text));
    }
    let problem = |found: DefinitionProblem| ConfigProblem {
        path: found.path,
        message: match found.file {
            Some(file) => format!("{file}:{}:{}: {}", found.line, found.column, found.message),
            None => found.message,
        },
    };
    Err(Refused(problems.into_iter().map(problem).collect()).into())
}

/// Whether what is sent here can have this name.
fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name != TAKEN
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A file comes before what is kept here, and is changed where it is.
async fn not_a_file(app: &App, kind: DefinitionKind, name: &str) -> ApiResult<()> {
    match app.state.machine.place_of(kind, name).await? {
        Some(place) if place.source != DefinitionOrigin::Api => {
            let message = format!("the {} `{name}` is defined in a file", kind.noun());
            Err(ApiError::new(Code::Conflict, message).hint(format!("change {}", place.path)))
        }
        _ => Ok(()),
    }
}
