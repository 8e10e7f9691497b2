//! The resources of a server as one more of its tools, so that a model reads those that it needs.

use std::sync::Arc;

use rmcp::model::{Resource, ResourceTemplate, Tool, ToolAnnotations};
use serde_json::json;

/// The name of the tool, unless the server has one of this name.
pub(crate) const READ_RESOURCE: &str = "read_resource";
/// The argument of the tool.
pub(crate) const URI: &str = "uri";
/// Resources that its description names. A call without an address lists all.
const NAMED: usize = 20;

/// What a server offers to be read.
#[derive(Debug, Default)]
pub(crate) struct OfferedResources {
    pub(crate) resources: Vec<Resource>,
    /// How addresses of more are made.
    pub(crate) templates: Vec<ResourceTemplate>,
}

impl OfferedResources {
    pub(crate) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.templates.is_empty()
    }

    /// The tool that reads them.
    pub(crate) fn tool(&self) -> Tool {
        let lines = self.lines();
        let mut description =
            "Reads a resource of this server. Without `uri`, lists all resources.".to_owned();
        for line in lines.iter().take(NAMED) {
            description.push_str(&format!("\n- {line}"));
        }
        if lines.len() > NAMED {
            description.push_str(&format!("\n- and {} more", lines.len() - NAMED));
        }
        let uri = json!({"type": "string", "description": "The address of the resource"});
        let schema = json!({"type": "object", "properties": {URI: uri}, "additionalProperties": false});
        let schema = schema.as_object().cloned().unwrap_or_default();
        let mut tool = Tool::new(READ_RESOURCE, description, Arc::new(schema));
        tool.annotations = Some(ToolAnnotations::new().read_only(true));
        tool
    }

    /// One line for each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |address: &str, name: &str, about: &Option<String>| match about {
            Some(about) => format!("{address} ({name}): {}", about.trim()),
            None => format!("{address} ({name})"),
        };
        let resources = self.resources.iter().map(|one| line(&one.uri, &one.name, &one.description));
        let templates = self.templates.iter().map(|one| line(&one.uri_template, &one.name, &one.description));
        resources.chain(templates).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_names_some_resources_and_says_how_many_more_there_are() {
        let resources = (0..25).map(|number| Resource::new(format!("a:{number}"), "one")).collect();
        let offered = OfferedResources { resources, templates: Vec::new() };
        let tool = offered.tool();
        let description = tool.description.unwrap();
        assert!(description.contains("\n- a:19 (one)\n- and 5 more"), "{description}");
        assert!(!description.contains("a:20"), "{description}");
        assert_eq!(offered.lines().len(), 25);
        assert!(tool.input_schema["properties"]["uri"].is_object());
    }
}
