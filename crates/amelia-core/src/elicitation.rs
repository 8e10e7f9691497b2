//! What a server wants to know from a person in the middle of a tool call, and what their answer means to it. Pure.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::human::{HumanAction, HumanReply, HumanRequest};
use crate::object::Object;
use crate::problem::Problem;
use crate::text::capped;

/// In the context of a question: it is the question of a server.
pub const ELICITATION: &str = "elicitation";
/// As much of a server's words as a person can look at.
const LONGEST: usize = 4_000;

/// A question of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Elicitation {
    pub server: String,
    pub message: String,
    /// An object with flat properties.
    pub schema: Value,
}

/// What a server is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElicitationAnswer {
    Accept(Object),
    Decline,
    Cancel,
}

/// A question of a server with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweredElicitation {
    pub asked: Elicitation,
    pub answer: ElicitationAnswer,
}

/// What comes of a question at once.
#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    Answered(ElicitationAnswer),
    /// The call ends here. A person is asked, and then the call is made again.
    Later,
    /// It is declined, for this reason.
    Declined(String),
}

impl Elicitation {
    /// The question that a request passes on, if it is one of a server.
    #[must_use]
    pub fn of(request: &HumanRequest) -> Option<Self> {
        let asked = request.context.get(ELICITATION)?.get("asked")?;
        serde_json::from_value(asked.clone()).ok()
    }

    /// The question as a person reads it, with the fields of the answer.
    #[must_use]
    pub fn prompt(&self) -> String {
        let mut text = format!("The MCP server `{}` asks: {}", self.server, self.message.trim());
        for (name, field) in self.fields() {
            let mut notes = vec![kind_of(field).to_owned()];
            notes.extend(self.is_required(name).then(|| "required".to_owned()));
            let choices = choices(field);
            notes.extend((!choices.is_empty()).then(|| choices.join(" | ")));
            notes.extend(field.get("default").map(|value| format!("default {value}")));
            let about = field.get("description").or_else(|| field.get("title")).and_then(Value::as_str);
            let about = about.map(|about| format!(": {about}")).unwrap_or_default();
            text.push_str(&format!("\n- {name} ({}){about}", notes.join(", ")));
        }
        let how = match self.fields().count() {
            0 => "Answer `yes` or `decline`.",
            1 => "Answer with the value, or `decline`.",
            _ => "Answer with `name=value; name=value`, a JSON object, or `decline`.",
        };
        format!("{}\n{how}", capped(&text, LONGEST))
    }

    /// What a reply means to the server. Fields that the person left out have their defaults.
    pub fn answer(&self, reply: &HumanReply) -> Result<ElicitationAnswer, Problem> {
        let words = reply.message.as_deref().map(str::trim).unwrap_or_default();
        match (reply.action, words.to_lowercase().as_str()) {
            (HumanAction::TimedOut, _) | (HumanAction::Approve, "cancel") => {
                return Ok(ElicitationAnswer::Cancel);
            }
            (HumanAction::Reject, _) | (HumanAction::Approve, "decline") => {
                return Ok(ElicitationAnswer::Decline);
            }
            (HumanAction::Approve, "no") if self.fields().next().is_none() => {
                return Ok(ElicitationAnswer::Decline);
            }
            (HumanAction::Approve | HumanAction::Modify, _) => {}
        }
        let given = match &reply.updates {
            Some(Value::Object(fields)) => Ok(fields.clone()),
            _ => self.read(words),
        };
        let accepted = given.and_then(|given| self.checked(given)).map_err(|reason| {
            let names: Vec<&str> = self.fields().map(|(name, _)| name.as_str()).collect();
            let problem = Problem::new(format!("the answer does not match the question: {reason}"));
            problem.with_hint(format!(
                "answer with `name=value; name=value` or a JSON object ({}), or `decline`",
                names.join(", ")
            ))
        })?;
        Ok(ElicitationAnswer::Accept(accepted))
    }

    fn fields(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
    }

    fn is_required(&self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }

    /// The fields in a person's words.
    fn read(&self, words: &str) -> Result<Object, String> {
        if let Ok(Value::Object(fields)) = serde_json::from_str(words) {
            return Ok(fields);
        }
        let mut fields = self.fields();
        match (fields.next(), fields.next()) {
            (None, _) => return Ok(Object::new()),
            (Some((name, field)), None) if !words.is_empty() && !words.starts_with(&format!("{name}=")) => {
                return Ok(Object::from_iter([(name.clone(), read_value(field, words))]));
            }
            _ => {}
        }
        let lines = words.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
        lines.map(|line| self.read_line(line)).collect()
    }

    fn read_line(&self, line: &str) -> Result<(String, Value), String> {
        let (name, value) = line.split_once('=').ok_or_else(|| format!("`{line}` is not `name=value`"))?;
        let name = name.trim();
        let field = self.fields().find(|(known, _)| *known == name).map(|(_, field)| field);
        Ok((name.to_owned(), read_value(field.unwrap_or(&Value::Null), value.trim())))
    }

    fn checked(&self, mut given: Object) -> Result<Object, String> {
        if let Some(name) = given.keys().find(|name| self.fields().all(|(known, _)| known != *name)) {
            return Err(format!("there is no field `{name}`"));
        }
        for (name, field) in self.fields() {
            match (given.get(name), field.get("default")) {
                (Some(value), _) => {
                    check_value(field, value).map_err(|reason| format!("`{name}` {reason}"))?;
                }
                (None, Some(default)) => drop(given.insert(name.clone(), default.clone())),
                (None, None) if self.is_required(name) => return Err(format!("`{name}` is missing")),
                (None, None) => {}
            }
        }
        Ok(given)
    }
}

fn kind_of(field: &Value) -> &str {
    field.get("type").and_then(Value::as_str).unwrap_or("string")
}

/// The values to choose from; none if any will do.
fn choices(field: &Value) -> Vec<String> {
    let field = field.get("items").unwrap_or(field);
    let list = ["enum", "oneOf", "anyOf"].iter().find_map(|key| field.get(key)?.as_array());
    let value = |one: &Value| one.get("const").unwrap_or(one).as_str().map(str::to_owned);
    list.into_iter().flatten().filter_map(value).collect()
}

/// A word as a value of a field. What is none is refused later.
fn read_value(field: &Value, word: &str) -> Value {
    let text = || Value::String(word.to_owned());
    match kind_of(field) {
        "boolean" => match word.to_lowercase().as_str() {
            "true" | "yes" => Value::Bool(true),
            "false" | "no" => Value::Bool(false),
            _ => text(),
        },
        "integer" | "number" => serde_json::from_str(word).unwrap_or_else(|_| text()),
        "array" => serde_json::from_str(word)
            .unwrap_or_else(|_| word.split(',').map(|one| Value::String(one.trim().to_owned())).collect()),
        _ => text(),
    }
}

fn check_value(field: &Value, value: &Value) -> Result<(), String> {
    let kind = kind_of(field);
    let is_kind = match kind {
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "array" => value.is_array(),
        _ => value.is_string(),
    };
    if !is_kind {
        return Err(format!("must be of the type {kind}"));
    }
    let choices = choices(field);
    let is_choice = |one: &Value| one.as_str().is_some_and(|one| choices.iter().any(|choice| choice == one));
    let chosen = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    if !choices.is_empty() && !chosen.iter().all(is_choice) {
        return Err(format!("must be one of {}", choices.join(", ")));
    }
    let size = match value {
        Value::String(text) => text.chars().count() as f64,
        Value::Array(items) => items.len() as f64,
        other => other.as_f64().unwrap_or_default(),
    };
    let limit = |keys: [&str; 3]| keys.iter().find_map(|key| field.get(key)?.as_f64());
    let of = if value.is_number() { "" } else { " long" };
    if let Some(least) = limit(["minimum", "minLength", "minItems"]).filter(|least| size < *least) {
        return Err(format!("must be at least {least}{of}"));
    }
    match limit(["maximum", "maxLength", "maxItems"]).filter(|most| size > *most) {
        Some(most) => Err(format!("must be at most {most}{of}")),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "elicitation_tests.rs"]
mod tests;
