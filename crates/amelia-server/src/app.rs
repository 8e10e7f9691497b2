//! One router, mounted twice: below `/api`, and at the root as the source documents write paths.

use std::io;
use std::time::Duration;

use amelia_core::config::server::AuthMode;
use amelia_core::problem::Hinted;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;

use crate::request::BODY_LIMIT;
use crate::state::{App, ServerParts};
use crate::{commands, connections, edge, guard, mcp, openapi, routes, ui};

/// How long requests under way may take when the server ends.
const GOODBYE: Duration = Duration::from_secs(5);

/// Why a server cannot begin, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("without sign-in, only programs on this machine may connect, and {0} is open to others")]
    OpenToOthers(std::net::SocketAddr),
    #[error("sign-in with signed tokens is not supported yet")]
    SignedTokens,
    #[error("the token is empty, so anyone could sign in")]
    NoToken,
    #[error("cannot listen: {0}")]
    Io(#[from] io::Error),
}

impl Hinted for ServeError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::OpenToOthers(_) => "listen on 127.0.0.1, or set auth.mode to `token`",
            Self::SignedTokens => "set auth.mode to `token`, or to `none` on a loopback address",
            Self::NoToken => "remove the token file and start again",
            Self::Io(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// Everything that is served, for a server of one's own.
pub fn app(state: ServerParts) -> Router {
    let (router, described) = routes::router().split_for_parts();
    mount(router, App::new(state, openapi::text(described)))
}

/// Serves until `shutdown`, then ends what is under way: requests are answered, sockets are closed. Runs are not touched.
pub async fn serve(
    listener: TcpListener,
    state: ServerParts,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    match &state.config.auth {
        AuthMode::None if !address.ip().is_loopback() => return Err(ServeError::OpenToOthers(address)),
        AuthMode::Jwt(_) => return Err(ServeError::SignedTokens),
        AuthMode::Token if state.token.reveal().is_empty() => return Err(ServeError::NoToken),
        AuthMode::None | AuthMode::Token => {}
    }
    let (router, described) = routes::router().split_for_parts();
    let app = App::new(ServerParts { address, ..state }, openapi::text(described));
    let limits = connections::ConnectionLimits::default();
    let closing = app.closing.clone();
    let ended = closing.clone();
    let stop = async move {
        shutdown.await;
        closing.cancel();
    };
    let serving = connections::answer(listener, mount(router, app.clone()), limits, stop);
    // A peer that never finishes its request does not keep the server alive.
    let given_up = async move {
        ended.cancelled().await;
        tokio::time::sleep(GOODBYE).await;
    };
    tokio::select! {
        () = serving => {}
        () = given_up => {}
    }
    // Commands under way are durable or undone at any moment, as at a crash; these few seconds spare their callers the doubt.
    app.commands.close();
    if tokio::time::timeout(GOODBYE, app.commands.wait()).await.is_err() {
        tracing::warn!("ended while commands were under way");
    }
    for tasks in [&app.sockets, &app.keepers] {
        tasks.close();
        tasks.wait().await;
    }
    Ok(())
}

fn mount(router: Router<App>, app: App) -> Router {
    let api = router.layer(from_fn_with_state(app.clone(), commands::to_the_end)).with_state(app.clone());
    let ui = ui::router(app.state.ui.clone());
    let beside = app.state.beside.clone().unwrap_or_default();
    Router::new()
        .nest("/api", api.clone())
        .merge(api)
        .merge(ui)
        .merge(mcp::router(app.clone()))
        .fallback(edge::no_such_path)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .layer(CatchPanicLayer::new())
        .layer(from_fn_with_state(app, edge::edge))
        .layer(from_fn(edge::harmless))
        // Last, so that nothing above is asked: callers of this path have a token of another kind.
        .merge(beside.layer(from_fn(guard::beside)))
}
