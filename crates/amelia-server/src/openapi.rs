//! The description of the routes, finished: what holds for all of them is said here once.

use amelia_wire::error::ErrorBody;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi as Document, Ref, RefOr, Required, ResponseBuilder};
use utoipa::{Modify, OpenApi};

/// The frame into which routes are written.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Amelia",
        description = "Runs coding agents that plan, change and review code, and survive crashes.",
        license(name = "Apache-2.0")
    ),
    servers((url = "/api")),
    security(("token" = [])),
    components(schemas(ErrorBody)),
    modifiers(&SignIn)
)]
pub(crate) struct Description;

struct SignIn;

impl Modify for SignIn {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
    }
}

/// The document in JSON.
pub(crate) fn text(mut document: Document) -> String {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            finish(path, method, operation);
        }
    }
    // A description that cannot be written would be found by every test.
    document.to_json().unwrap_or_default()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, .. } = item;
    let all = [("get", get), ("put", put), ("post", post), ("delete", delete)];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn finish(path: &str, method: &str, operation: &mut Operation) {
    let words = path.replace(['{', '}'], "").replace(['/', '-', '.'], "_");
    operation.operation_id = Some(format!("{method}{words}"));
    let parameters = operation.parameters.get_or_insert_default();
    for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        parameters.push(RefOr::T(in_path(name)));
    }
    let shape = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    let refused = ResponseBuilder::new().description("error").content("application/json", shape).build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(refused));
}

fn in_path(name: &str) -> Parameter {
    let kind = if name == "number" { Type::Integer } else { Type::String };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(ObjectBuilder::new().schema_type(kind).build()))
        .build()
}
