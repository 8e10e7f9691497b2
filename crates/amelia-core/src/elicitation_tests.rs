use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::id::RequestId;

fn asks(schema: Value) -> Elicitation {
    Elicitation { server: "web".to_owned(), message: "Who?".to_owned(), schema }
}

fn form() -> Elicitation {
    asks(json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 2, "description": "Your name"},
        "age": {"type": "integer", "minimum": 1, "maximum": 99},
        "pet": {"type": "string", "oneOf": [{"const": "cat", "title": "Cat"}, {"const": "dog"}], "default": "cat"},
        "likes": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
        "sure": {"type": "boolean"},
    }}))
}

fn says(action: HumanAction, words: Option<&str>) -> HumanReply {
    let yes = HumanReply::go_on(RequestId(Uuid::nil()), Timestamp::UNIX_EPOCH);
    HumanReply { action, message: words.map(str::to_owned), ..yes }
}

#[test]
fn words_become_fields_that_fit_the_schema() {
    let read = |asked: &Elicitation, words: &str| match asked.answer(&says(HumanAction::Approve, Some(words)))
    {
        Ok(ElicitationAnswer::Accept(fields)) => Value::Object(fields).to_string(),
        Ok(other) => format!("{other:?}"),
        Err(problem) => problem.message.replace("the answer does not match the question: ", ""),
    };
    let one = asks(json!({"properties": {"age": {"type": "integer"}}, "required": ["age"]}));
    let yes_no = asks(json!({"type": "object", "properties": {}}));
    for (asked, words, expected) in [
        (&form(), "name=Ada L.\nage=36; sure=yes", r#"{"name":"Ada L.","age":36,"sure":true,"pet":"cat"}"#),
        (&form(), r#"{"name": "Ada", "likes": ["b"]}"#, r#"{"name":"Ada","likes":["b"],"pet":"cat"}"#),
        (&form(), "name=Ada\nlikes=a,b", "`likes` must be at most 1 long"),
        (&form(), "name=Ada\nlikes=c", "`likes` must be one of a, b"),
        (&form(), "age=3", "`name` is missing"),
        (&form(), "name=A", "`name` must be at least 2 long"),
        (&form(), "name=Ada\nage=100", "`age` must be at most 99"),
        (&form(), "name=Ada\nage=1.5", "`age` must be of the type integer"),
        (&form(), "name=Ada\npet=cow", "`pet` must be one of cat, dog"),
        (&form(), "name=Ada\nnick=x", "there is no field `nick`"),
        (&form(), "Ada", "`Ada` is not `name=value`"),
        (&form(), "Decline", "Decline"),
        (&form(), "cancel", "Cancel"),
        (&one, "36", r#"{"age":36}"#),
        (&one, "age=36", r#"{"age":36}"#),
        (&one, "old", "`age` must be of the type integer"),
        (&yes_no, "yes", "{}"),
        (&yes_no, "no", "Decline"),
    ] {
        let (read, value) = (read(asked, words), serde_json::from_str::<Value>);
        let is_same =
            read == expected || value(&read).ok().is_some_and(|read| value(expected).ok() == Some(read));
        assert!(is_same, "{words}: {read}");
    }
    assert_eq!(form().answer(&says(HumanAction::Reject, None)), Ok(ElicitationAnswer::Decline));
    assert_eq!(form().answer(&says(HumanAction::TimedOut, None)), Ok(ElicitationAnswer::Cancel));
}

#[test]
fn a_person_reads_what_to_fill_in() {
    let prompt = form().prompt();
    for part in [
        "The MCP server `web` asks: Who?\n- ",
        "\n- name (string, required): Your name\n",
        "\n- pet (string, cat | dog, default \"cat\")\n",
        "\nAnswer with `name=value; name=value`, a JSON object, or `decline`.",
    ] {
        assert!(prompt.contains(part), "{prompt}");
    }
}
