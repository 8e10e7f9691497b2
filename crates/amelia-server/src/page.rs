//! The description of all routes as one page: no script of others, nothing to fetch. Pure.

use serde_json::Value;

const HEAD: &str = include_str!("page/head.html");
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

/// The page, from the OpenAPI document.
pub(crate) fn of(document: &str) -> String {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let mut page = HEAD.to_owned();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                page.push_str(&operation_of(path, method, operation));
            }
        }
    }
    page.push_str("<h2>Schemas</h2>\n");
    let shapes = document.pointer("/components/schemas").and_then(Value::as_object);
    for (name, shape) in shapes.into_iter().flatten() {
        let name = escaped(name);
        let text = pretty(shape);
        page.push_str(&format!("<details id=\"{name}\"><summary>{name}</summary>{text}</details>\n"));
    }
    page.push_str("</main></body></html>\n");
    page
}

fn operation_of(path: &str, method: &str, operation: &Value) -> String {
    let text = |name: &str| escaped(operation.get(name).and_then(Value::as_str).unwrap_or_default());
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let rows: String = parameters.into_iter().flatten().map(parameter).collect();
    let table = if rows.is_empty() { String::new() } else { format!("<table>{rows}</table>") };
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    let body = body.map(|shape| format!("<h4>Body</h4>{}", pretty(shape))).unwrap_or_default();
    let answers = operation.get("responses").and_then(Value::as_object);
    let answers: String =
        answers.into_iter().flatten().map(|(status, answer)| answer_of(status, answer)).collect();
    format!(
        "<details class=\"operation\"><summary><b class=\"{method}\">{}</b> <code>{}</code> {}</summary>\
         <p>{}</p>{table}{body}<h4>Responses</h4>{answers}</details>\n",
        method.to_uppercase(),
        escaped(path),
        text("summary"),
        text("description"),
    )
}

fn parameter(parameter: &Value) -> String {
    let text = |name: &str| escaped(parameter.get(name).and_then(Value::as_str).unwrap_or_default());
    let shape = parameter.get("schema").map(ToString::to_string).unwrap_or_default();
    format!(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
        text("name"),
        text("in"),
        text("description"),
        escaped(&shape)
    )
}

fn answer_of(status: &str, answer: &Value) -> String {
    let said = escaped(answer.get("description").and_then(Value::as_str).unwrap_or_default());
    let contents = answer.get("content").and_then(Value::as_object);
    let shapes: String =
        contents.into_iter().flatten().filter_map(|(_, content)| content.get("schema")).map(pretty).collect();
    format!("<p><b>{}</b> {said}</p>{shapes}", escaped(status))
}

/// A shape; where it refers to another, a link.
fn pretty(shape: &Value) -> String {
    let lines = serde_json::to_string_pretty(shape).unwrap_or_default();
    let linked = lines.lines().map(|line| match line.split_once("\"#/components/schemas/") {
        Some((before, rest)) => {
            let (name, after) = rest.split_once('"').unwrap_or((rest, ""));
            let name = escaped(name);
            format!("{}<a href=\"#{name}\">{name}</a>{}\n", escaped(before), escaped(after))
        }
        None => format!("{}\n", escaped(line)),
    });
    format!("<pre>{}</pre>", linked.collect::<String>())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_route_and_cannot_be_made_to_run_what_a_description_says() {
        let page = of(r##"{"paths": {"/x/{id}": {"get": {"summary": "<script>evil()</script>",
            "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}},
            "components": {"schemas": {"A": {"type": "object"}}}}"##);
        assert!(page.contains("<code>/x/{id}</code> &lt;script&gt;evil()&lt;/script&gt;"), "{page}");
        assert!(page.contains("<a href=\"#A\">A</a>") && page.contains("<details id=\"A\">"), "{page}");
        assert!(
            !page.contains("src=") && !page.contains("http://") && !page.contains("https://"),
            "nothing is fetched"
        );
    }
}
