//! All settings at once.

use amelia_core::config::problem::ProblemReport;
use amelia_wire::amelia::config::Settings;
use amelia_wire::read::Refused;
use amelia_wire::rest::config::SettingsShown;
use axum::extract::State;
use axum::response::Response;

use crate::error::{ApiResult, json};
use crate::request::JsonBody;
use crate::state::App;

/// Returns the profiles, the active one, and the server's configuration as of its start.
#[utoipa::path(get, path = "/settings", tag = "settings", responses((status = 200, body = SettingsShown)))]
pub(crate) async fn show(State(app): State<App>) -> ApiResult<Response> {
    shown(&app).await
}

/// Saves these profiles. Other profiles stay as they are.
#[utoipa::path(put, path = "/settings", tag = "settings", request_body = Settings,
    responses((status = 200, body = SettingsShown)))]
pub(crate) async fn replace(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let settings = body.read::<Settings>()?;
    let mut report = ProblemReport::default();
    for (name, profile) in &settings.profiles {
        report.within(format_args!("profiles.{name}"), |report| {
            app.state.config.check_keys(profile, report);
        });
    }
    let problems = report.into_problems();
    if !problems.is_empty() {
        return Err(Refused(problems).into());
    }
    app.state.profiles.apply(&settings).await?;
    shown(&app).await
}

async fn shown(app: &App) -> ApiResult<Response> {
    let settings = app.state.profiles.settings().await?;
    Ok(json(&SettingsShown::new(settings, app.state.config.clone())))
}
