//! What is documented is what is served.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::world::World;

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

#[tokio::test]
async fn every_documented_route_is_there_and_no_other_method_of_its_path() {
    let world = World::new().await;
    let document = world.shown("/api/openapi.json").await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 50, "{}", paths.len());
    for (path, item) in paths {
        let real = path
            .replace("{id}", "x")
            .replace("{request_id}", "x")
            .replace("{name}", "x")
            .replace("{path}", "x")
            .replace("{version}", "1")
            .replace("{number}", "1");
        for method in METHODS {
            let (status, body) = world
                .send(
                    Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                    &format!("/api{real}"),
                    None,
                )
                .await;
            let is_there = status != StatusCode::METHOD_NOT_ALLOWED
                && body["error"]["message"] != "there is no such path";
            assert_eq!(is_there, item.get(method).is_some(), "{method} {path}: {status} {body}");
        }
    }
}

#[tokio::test]
async fn operations_have_unique_ids_and_declare_their_parameters_and_refusals() {
    let world = World::new().await;
    let document = world.shown("/api/openapi.json").await;
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in METHODS.iter().filter_map(|method| item.get(method)) {
            assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{path}");
            assert!(operation["summary"].is_string(), "{path}");
            assert!(operation["responses"]["default"].is_object(), "{path}");
            let empty = Vec::new();
            let declared: Vec<&str> = operation["parameters"]
                .as_array()
                .unwrap_or(&empty)
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            let named: Vec<&str> =
                path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
            assert_eq!(declared, named, "{path}");
        }
    }
}

#[tokio::test]
async fn every_reference_in_the_document_leads_somewhere() {
    let world = World::new().await;
    let document = world.shown("/api/openapi.json").await;
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                    assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
