"""Reads requests from stdin, one {"wire", "body"} a line, and checks each against the types that the real SDKs have for it.

A field that an SDK does not know is a mistake, at any depth. Prints how many were checked.
"""
import importlib
import json
import pkgutil
import sys

import anthropic.types
import openai.types
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import BaseModel, ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

KINDS = {
    "chat": CompletionCreateParamsStreaming,
    "messages": MessageCreateParamsStreaming,
    "responses": ResponseCreateParamsStreaming,
}


def forbid_unknown(package):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for value in vars(importlib.import_module(module.name)).values():
            if is_typeddict(value):
                value.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def consume(value):
    """Lists are checked only as they are read."""
    if isinstance(value, dict):
        for inner in value.values():
            consume(inner)
    elif isinstance(value, BaseModel):
        # A shape of answers that is also taken in requests.
        assert not value.model_extra, f"{type(value).__name__} has no {', '.join(value.model_extra)}"
        consume({name: getattr(value, name) for name in value.model_fields_set})
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for inner in value:
            consume(inner)


def completed(item):
    """What the model said before, in full. The API takes it without the name and the notes that it gave it, as codex sends it."""
    if item.get("type") != "message" or item.get("role") != "assistant":
        return item
    content = [dict(part, annotations=[]) for part in item["content"]]
    return dict(item, id="msg_1", status="completed", content=content)


forbid_unknown(openai.types)
forbid_unknown(anthropic.types)
adapters = {wire: TypeAdapter(kind) for wire, kind in KINDS.items()}
count = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["wire"] == "responses":
        request["body"]["input"] = [completed(item) for item in request["body"]["input"]]
    try:
        consume(adapters[request["wire"]].validate_python(request["body"]))
    except Exception as error:
        sys.exit(f"{request['wire']}: {str(error)[:4000]}\n{json.dumps(request['body'])[:4000]}")
    count += 1
print(count, "understood")
