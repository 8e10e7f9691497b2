//! A run of a pipeline that is started by its name.

use amelia_core::id::GraphName;
use amelia_core::run::RunSpec;
use amelia_core::text::{LONGEST_TITLE, first_line};
use amelia_orchestrator::service::{RunRequest, ServiceError};
use serde_json::Value;

use super::LocalRunService;
use crate::error::service_error;
use crate::keys::{Keys, named_in};
use crate::{pipelines, place};

impl LocalRunService {
    /// A run of a pipeline that has no command of its own.
    pub(super) async fn take_named(
        &self,
        request: RunRequest,
        name: &str,
        title: Option<String>,
        input: Value,
    ) -> Result<RunSpec, ServiceError> {
        let graph = GraphName::new(name).map_err(|error| ServiceError::invalid(error.to_string()))?;
        let pipeline = pipelines::named(&graph)
            .map_err(|_| ServiceError::Invalid(pipelines::unknown(name, &pipelines::all())))?;
        let keys = Keys::gather(&self.home, &named_in(&input)).map_err(service_error)?;
        let input = pipeline.read_input(keys.redactor().clean(input)).map_err(service_error)?;
        let title = title.unwrap_or_else(|| name.to_owned());
        let place = self.place(&request, &place::key(&title)).await?;
        Ok(RunSpec {
            input,
            profile: request.profile,
            place: Some(place),
            budget: request.budget.at_most(self.ceiling()),
            idempotency_key: request.idempotency_key,
            ..RunSpec::new(graph, first_line(&title, LONGEST_TITLE))
        })
    }
}
