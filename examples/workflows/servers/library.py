"""An MCP server over stdio with one tool, `find`, which looks up a fact."""

import json
import sys

FACTS = {
    "rivers": "The Nile is about 6,650 km long.",
    "mountains": "Mount Everest is 8,849 m high.",
}
FIND = {
    "name": "find",
    "description": "Finds a fact about a topic.",
    "inputSchema": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
    "annotations": {"readOnlyHint": True},
}


def result_of(method, params):
    if method == "initialize":
        info = {"name": "library", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [FIND]}
    if method == "tools/call":
        topic = params["arguments"]["topic"]
        return {"content": [{"type": "text", "text": FACTS.get(topic, f"There is no fact about {topic}.")}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # A notification is not answered.
    result = result_of(message.get("method"), message.get("params", {}))
    unknown = {"error": {"code": -32601, "message": "unknown method"}}
    answer = unknown if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
