//! The prompts of a server: texts with blanks that a person fills in.

use amelia_core::object::Object;
use rmcp::model::{GetPromptResult, Prompt, Role};

use crate::failure::McpFailure;
use crate::output::plain_text;
use crate::pool::McpPool;
use crate::resolved_server::ResolvedServer;

/// A prompt as a server offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedPrompt {
    pub name: String,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
}

/// A blank of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub description: String,
    pub is_required: bool,
}

impl McpPool {
    /// Connects to a server and asks for its prompts.
    pub async fn prompts(&self, server: &ResolvedServer) -> Result<Vec<OfferedPrompt>, McpFailure> {
        let connection = self.slot(server).connection().await?;
        Ok(connection.prompts().await?.into_iter().map(offered).collect())
    }

    /// The text of a prompt, with these values in its blanks.
    pub async fn prompt(
        &self,
        server: &ResolvedServer,
        name: &str,
        arguments: Object,
    ) -> Result<String, McpFailure> {
        let connection = self.slot(server).connection().await?;
        Ok(text_of(&connection.prompt(name, arguments).await?))
    }
}

fn offered(prompt: Prompt) -> OfferedPrompt {
    let argument = |argument: rmcp::model::PromptArgument| PromptArgument {
        name: argument.name,
        description: argument.description.unwrap_or_default(),
        is_required: argument.required.unwrap_or_default(),
    };
    OfferedPrompt {
        name: prompt.name,
        description: prompt.description.unwrap_or_default(),
        arguments: prompt.arguments.unwrap_or_default().into_iter().map(argument).collect(),
    }
}

/// One message is its text; of several, it is said whose each is.
fn text_of(result: &GetPromptResult) -> String {
    if let [only] = result.messages.as_slice() {
        return plain_text(&only.content);
    }
    let message = |message: &rmcp::model::PromptMessage| {
        let who = match message.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
        };
        format!("{who}: {}", plain_text(&message.content))
    };
    result.messages.iter().map(message).collect::<Vec<_>>().join("\n\n")
}
