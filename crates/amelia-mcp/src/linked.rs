//! What is behind the links of a result: read from the same server while the call is still open.

use std::collections::BTreeMap;

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::connection::Connection;

/// The most links of one result that are followed.
const MAX_LINKS: usize = 5;

/// Resources by their address. One that cannot be read is only named.
#[derive(Default)]
pub(crate) struct LinkedResources(BTreeMap<String, Vec<ResourceContents>>);

impl LinkedResources {
    pub(crate) async fn read(connection: &Connection, result: &CallToolResult) -> Self {
        let links = result.content.iter().filter_map(ContentBlock::as_resource_link);
        let mut found = BTreeMap::new();
        for link in links.take(MAX_LINKS) {
            match connection.resource(&link.uri).await {
                Ok(contents) => {
                    found.insert(link.uri.clone(), contents);
                }
                Err(failure) => tracing::debug!("a linked resource is not read: {failure}"),
            }
        }
        Self(found)
    }

    pub(crate) fn of(&self, uri: &str) -> &[ResourceContents] {
        self.0.get(uri).map_or(&[], Vec::as_slice)
    }
}
