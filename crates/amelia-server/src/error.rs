//! Failures as answers: which code, which words, and nothing of what is inside.

use amelia_core::problem::Problem;
use amelia_core::store::StoreError;
use amelia_orchestrator::orchestrator::CommandError;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::error::{Code, ErrorInfo};
use amelia_wire::read::Refused;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::machine::NotChanged;

/// What a handler answers.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// A request that came to nothing. [`crate::edge`] gives it its shape.
#[derive(Debug)]
pub(crate) struct ApiError {
    info: Box<ErrorInfo>,
    /// Seconds, after which it is worth asking again.
    after: Option<u64>,
}

impl ApiError {
    pub(crate) fn new(code: Code, problem: impl Into<Problem>) -> Self {
        ErrorInfo::of_problem(code, problem).into()
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { info: Box::new(self.info.hint(hint)), ..self }
    }

    pub(crate) fn after(self, seconds: u64) -> Self {
        Self { after: Some(seconds), ..self }
    }

    pub(crate) fn info(self) -> ErrorInfo {
        *self.info
    }

    /// What must not be shown to a stranger goes into the log.
    fn internal(error: &StoreError) -> Self {
        log(error);
        Self::new(Code::Internal, "internal error").hint("see the server log for this request id")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.info.code.http_status());
        let mut response = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response();
        if self.info.code == Code::Unauthorized {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self.info);
        response
    }
}

impl From<ErrorInfo> for ApiError {
    fn from(info: ErrorInfo) -> Self {
        Self { info: Box::new(info), after: None }
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        ErrorInfo::from(&refused).into()
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::NotFound(_) => Self::new(Code::NotFound, error),
            StoreError::Conflict { .. }
            | StoreError::NotEnded(_)
            | StoreError::Ended(_)
            | StoreError::Duplicate { .. }
            | StoreError::Claimed { .. } => Self::new(Code::Conflict, error),
            StoreError::Outdated { .. } => {
                Self::new(Code::Conflict, error).hint("read the newest version and change that one")
            }
            StoreError::Invalid(detail) => Self::new(Code::Invalid, detail.as_str()),
            // Says which run and which checkpoint, and the way out.
            StoreError::Damaged { .. } => {
                log(&error);
                Self::new(Code::Internal, error)
            }
            StoreError::Full { .. } => {
                log(&error);
                Self::new(Code::Unavailable, "no space is left for the database")
                    .hint("free some space; nothing that was acknowledged is lost")
            }
            StoreError::ReadOnly { .. } => {
                log(&error);
                Self::new(Code::Unavailable, "the database cannot be written")
            }
            StoreError::Closed => Self::new(Code::Unavailable, "the server is shutting down"),
            StoreError::TooNew { .. } | StoreError::Locked { .. } | StoreError::Io { .. } => {
                Self::internal(&error)
            }
        }
    }
}

impl From<CommandError> for ApiError {
    fn from(error: CommandError) -> Self {
        let code = match error {
            CommandError::Store(error) => return error.into(),
            CommandError::Intervention(error) => return error.into(),
            CommandError::Ended(_)
            | CommandError::NotWaiting(_)
            | CommandError::NotRunning(_)
            | CommandError::NotEnded(_)
            | CommandError::NotStopped(_)
            | CommandError::AtWork(_)
            | CommandError::AlreadyStarted(_)
            | CommandError::Continues(_)
            | CommandError::NoState(_)
            | CommandError::Refused(_) => Code::WrongState,
            CommandError::Claimed { .. } => Code::Conflict,
            CommandError::TooManyWords { .. }
            | CommandError::AnswerTooLong(_)
            | CommandError::BadRule(_)
            | CommandError::BadEdit(_)
            | CommandError::BadAnswer(_) => Code::Invalid,
            CommandError::Guardrail(_) => Code::Guardrail,
            CommandError::StillAtIt(_) | CommandError::ShuttingDown => Code::Unavailable,
        };
        Self::new(code, error)
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        let code = match error {
            ServiceError::AtField { field, error } => {
                return Self::from(*error).info().at_field(field).into();
            }
            ServiceError::Invalid(_) => Code::Invalid,
            ServiceError::NotFound(_) => Code::NotFound,
            ServiceError::Conflict(_) => Code::Conflict,
            ServiceError::Guardrail(_) => Code::Guardrail,
            ServiceError::Unavailable(_) => Code::Unavailable,
        };
        Self::new(code, error)
    }
}

impl From<NotChanged> for ApiError {
    fn from(error: NotChanged) -> Self {
        match error {
            NotChanged::Refused(refused) => refused.into(),
            NotChanged::Broken(detail) => Self::new(Code::Unavailable, detail),
        }
    }
}

fn log(error: &StoreError) {
    tracing::error!("{}", Problem::from(error).to_text());
}

/// A value as the body of an answer.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        // Our own shapes can be written; a map with keys that are no text would be a mistake of ours.
        Err(error) => {
            tracing::error!("an answer cannot be written: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A value with a status.
pub(crate) fn with_status(status: StatusCode, value: &impl Serialize) -> Response {
    (status, json(value)).into_response()
}
