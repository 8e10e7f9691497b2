//! One open connection to a server.

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::Duration;

use amelia_core::config::mcp::McpTransport;
use amelia_core::object::Object;
use amelia_process::{CommandSpec, ProcessSpawner, StdinSource};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, GetPromptRequestParams, GetPromptResult, Prompt, ProtocolVersion,
    ReadResourceRequestParams, ResourceContents, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::bounded_client::BoundedClient;
use crate::failure::McpFailure;
use crate::handler::Handler;
use crate::message_limit::LARGEST;
use crate::resolved_server::ResolvedServer;
use crate::resources::OfferedResources;
use crate::sign_in::{SignIns, authorized};
use crate::sse::LegacySse;
use crate::stdio::Stdio;

/// Starting may mean that a package is downloaded first. Less than what a request to start a run may take (60 s), so that
/// its answer names the server.
const START: Duration = Duration::from_secs(45);
const LAST_WORDS: Duration = Duration::from_millis(100);
/// A list of tools is at hand.
const LISTING: Duration = Duration::from_secs(30);
/// So is a resource that a result names.
const READING: Duration = Duration::from_secs(30);
/// More tools than any server should have; a model could not choose among them.
const MOST_TOOLS: usize = 1_000;
/// As many resources as are listed.
const MOST_RESOURCES: usize = 1_000;

/// An open connection.
pub(crate) struct Connection {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    server: String,
}

impl Connection {
    pub(crate) async fn open(
        server: &ResolvedServer,
        handler: &Handler,
        spawner: &dyn ProcessSpawner,
    ) -> Result<Self, McpFailure> {
        let name = server.server.name.clone();
        handler.log.begin();
        let service =
            match (tokio::time::timeout(START, open(server, handler, spawner)).await, handler.log.stray()) {
                (Ok(Ok(service)), _) => service,
                (_, Some(printed)) => return Err(McpFailure::NotMcp { server: name, printed }),
                (Ok(Err(failure)), None) => return Err(failure),
                (Err(_), None) => return Err(McpFailure::Silent { server: name, after: START }),
            };
        let connection = Self { service, handler: handler.clone(), server: name };
        if let Some(root) = handler.root.as_ref().filter(|_| connection.has_handshake()) {
            root.told().await;
        }
        Ok(connection)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// The newest protocol has none: a server asks for its roots in the answer to a call.
    fn has_handshake(&self) -> bool {
        self.service.peer().peer_info().is_some_and(|info| info.protocol_version.has_initialize())
    }

    /// The version of the protocol that both speak.
    pub(crate) fn protocol(&self) -> Option<String> {
        self.service.peer().peer_info().map(|info| info.protocol_version.to_string())
    }

    pub(crate) async fn tools(&self) -> Result<Vec<Tool>, McpFailure> {
        let listed = tokio::time::timeout(LISTING, self.service.peer().list_all_tools()).await;
        let Ok(listed) = listed else {
            return Err(McpFailure::Silent { server: self.server.clone(), after: LISTING });
        };
        let mut tools = listed.map_err(|error| self.failure(&error))?;
        tools.truncate(MOST_TOOLS);
        Ok(tools)
    }

    /// What the server offers to be read: nothing where it has no resources, or does not say which.
    pub(crate) async fn resources(&self) -> OfferedResources {
        let peer = self.service.peer();
        if peer.peer_info().is_none_or(|info| info.capabilities.resources.is_none()) {
            return OfferedResources::default();
        }
        let listed = async {
            let mut resources = peer.list_all_resources().await.unwrap_or_default();
            resources.truncate(MOST_RESOURCES);
            let mut templates = peer.list_all_resource_templates().await.unwrap_or_default();
            templates.truncate(MOST_RESOURCES);
            OfferedResources { resources, templates }
        };
        tokio::time::timeout(LISTING, listed).await.unwrap_or_default()
    }

    pub(crate) async fn prompts(&self) -> Result<Vec<Prompt>, McpFailure> {
        if self.service.peer().peer_info().is_none_or(|info| info.capabilities.prompts.is_none()) {
            return Ok(Vec::new());
        }
        let listed = self.service.peer().list_all_prompts();
        let Ok(listed) = tokio::time::timeout(LISTING, listed).await else {
            return Err(McpFailure::Silent { server: self.server.clone(), after: LISTING });
        };
        listed.map_err(|error| self.failure(&error))
    }

    pub(crate) async fn prompt(&self, name: &str, arguments: Object) -> Result<GetPromptResult, McpFailure> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let Ok(prompt) = tokio::time::timeout(READING, self.service.get_prompt(params)).await else {
            return Err(McpFailure::Silent { server: self.server.clone(), after: READING });
        };
        prompt.map_err(|error| self.failure(&error))
    }

    /// Makes a call. Dropping it tells the server that nothing waits for the answer any more.
    pub(crate) async fn call(&self, tool: &str, args: &Object) -> Result<CallToolResult, McpFailure> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args.clone());
        self.service.call_tool(params).await.map_err(|error| self.failure(&error))
    }

    /// What is behind an address of the server.
    pub(crate) async fn resource(&self, uri: &str) -> Result<Vec<ResourceContents>, McpFailure> {
        let read = self.service.read_resource(ReadResourceRequestParams::new(uri));
        let Ok(read) = tokio::time::timeout(READING, read).await else {
            return Err(McpFailure::Silent { server: self.server.clone(), after: READING });
        };
        Ok(read.map_err(|error| self.failure(&error))?.contents)
    }

    fn failure(&self, error: &rmcp::service::ServiceError) -> McpFailure {
        match (McpFailure::of_call(&self.server, error), self.handler.log.last()) {
            (McpFailure::Lost { server, reason }, Some(word)) => {
                McpFailure::Lost { server, reason: format!("{reason}; it wrote: {word}") }
            }
            (failure, _) => failure,
        }
    }
}

async fn open(
    server: &ResolvedServer,
    handler: &Handler,
    spawner: &dyn ProcessSpawner,
) -> Result<RunningService<RoleClient, Handler>, McpFailure> {
    let name = &server.server.name;
    let not_started = |reason: String| McpFailure::NotStarted { server: name.clone(), reason };
    let client = || server.client.clone().ok_or_else(|| not_started("there is no HTTP client".to_owned()));
    let ours = handler.clone();
    let served = match &server.server.transport {
        McpTransport::Stdio { command, args, env } => {
            let spec = command_of(server, command, args, env.iter());
            let process =
                spawner.spawn(spec).map_err(|error| not_started(format!("`{command}`: {error}")))?;
            ours.serve_with_lifecycle(Stdio::new(process, handler.log.clone()), newest_first()).await
        }
        McpTransport::StreamableHttp { url, headers } => {
            let headers = header_map(headers).map_err(not_started)?;
            let client = authorized(sign_ins(server, &headers), url, BoundedClient(client()?)).await;
            let client = client.map_err(|error| not_started(error.to_string()))?;
            let headers: HashMap<HeaderName, HeaderValue> =
                headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect();
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .custom_headers(headers)
                .max_sse_event_size(LARGEST);
            let transport = StreamableHttpClientTransport::with_client(client, config);
            ours.serve_with_lifecycle(transport, newest_first()).await
        }
        McpTransport::Sse { url, headers } => {
            let mut headers = header_map(headers).map_err(not_started)?;
            let client = authorized(sign_ins(server, &headers), url, client()?).await;
            let client = client.map_err(|error| not_started(error.to_string()))?;
            if let Some(bearer) = client.get_access_token().await.ok().and_then(|token| bearer(&token)) {
                headers.insert(AUTHORIZATION, bearer);
            }
            let transport = LegacySse::open(client.http_client, url, headers, handler.log.clone()).await;
            let transport = transport.map_err(|error| match error.is_unauthorized() {
                true => McpFailure::NotSignedIn { server: name.clone() },
                false => {
                    McpFailure::unreached(name, url, &error).unwrap_or_else(|| not_started(error.to_string()))
                }
            })?;
            ours.serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await
        }
    };
    match served {
        Ok(service) => Ok(service),
        Err(error) => {
            // What a process has to say about its end may come a moment later.
            tokio::time::sleep(LAST_WORDS).await;
            let url = match &server.server.transport {
                McpTransport::Stdio { .. } => None,
                McpTransport::StreamableHttp { url, .. } | McpTransport::Sse { url, .. } => {
                    Some(url.as_str())
                }
            };
            Err(McpFailure::of_start(name, url, &error, handler.log.last()))
        }
    }
}

/// The protocol without a handshake, and the older ones where a server does not know it.
fn newest_first() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

fn command_of<'a>(
    server: &ResolvedServer,
    command: &str,
    args: &[String],
    env: impl Iterator<Item = (&'a String, &'a String)>,
) -> CommandSpec {
    let mut vars = server.vars.clone();
    let given = env.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    for (name, value) in given {
        vars.retain(|(other, _)| *other != name);
        vars.push((name, value));
    }
    CommandSpec {
        directory: server.directory.clone(),
        vars,
        stdin: StdinSource::Piped,
        ..CommandSpec::new(command, args, server.owner.as_str())
    }
}

/// Where the token of a server is, unless its configuration has one.
fn sign_ins<'a>(server: &'a ResolvedServer, headers: &HeaderMap) -> Option<&'a SignIns> {
    server.sign_ins.as_ref().filter(|_| !headers.contains_key(AUTHORIZATION))
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// `Err` names the header that is none; its value may be a secret.
fn header_map<'a>(headers: impl IntoIterator<Item = (&'a String, &'a String)>) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = || format!("`{name}` is not a valid HTTP header");
        let key = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| bad())?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}
