"""Asks the scripted model at argv[1] through the real SDKs; any difference is an assertion.

With a proxy between, argv[2] is where Anthropic's API is, and AMELIA_TOKEN what to sign in with.
"""
import json
import os
import sys

import anthropic
import openai

URL = sys.argv[1]
TOKEN = os.environ.get("AMELIA_TOKEN", "none")
chat = openai.OpenAI(base_url=URL + "/v1", api_key=TOKEN, max_retries=0)
claude = anthropic.Anthropic(base_url=(sys.argv[2:] or [URL])[0], api_key=TOKEN, max_retries=0)
MODEL = "scripted"
CITIES = ["Paris", "Łódź"]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}


def user(text):
    return [{"role": "user", "content": text}]


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_chat():
    tools = [{"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}]
    asked = dict(model=MODEL, messages=user("weather?"), tools=tools)
    whole = chat.chat.completions.create(**asked)
    message = whole.choices[0].message
    assert [json.loads(call.function.arguments)["city"] for call in message.tool_calls] == CITIES
    assert whole.choices[0].finish_reason == "tool_calls"
    assert message.reasoning_content == "Two cities, two calls."
    assert (whole.usage.prompt_tokens, whole.usage.prompt_tokens_details.cached_tokens) == (100, 60)
    with chat.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert {"chunk", "content.delta", "tool_calls.function.arguments.delta"} <= kinds, kinds
    streamed = final.choices[0].message
    assert streamed.content == message.content == "I will look."
    assert [c.id for c in streamed.tool_calls] == [c.id for c in message.tool_calls]
    assert final.usage == whole.usage
    answers = [{"role": "tool", "tool_call_id": c.id, "content": "sunny"} for c in message.tool_calls]
    said = user("weather?") + [message.model_dump(exclude_none=True)] + answers
    after = chat.chat.completions.create(model=MODEL, messages=said, tools=tools)
    assert after.choices[0].message.content == "Sunny in both."
    ask = lambda text, **more: chat.chat.completions.create(model=MODEL, messages=user(text), **more)
    check_openai_errors(ask)
    raises(openai.APIError, lambda: list(ask("breaks", stream=True)))
    assert json.loads(ask("json").choices[0].message.content) == {"answer": 42}


def check_responses():
    tools = [{"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}]
    asked = dict(model=MODEL, input=user("weather?"), tools=tools, store=False,
                 include=["reasoning.encrypted_content"])
    whole = chat.responses.create(**asked)
    reasoning, message, *calls = whole.output
    assert reasoning.type == "reasoning" and reasoning.encrypted_content
    assert reasoning.summary[0].text == "Two cities, two calls."
    assert whole.output_text == "I will look."
    assert [json.loads(call.arguments)["city"] for call in calls] == CITIES
    assert (whole.usage.input_tokens, whole.usage.input_tokens_details.cached_tokens) == (100, 60)
    with chat.responses.stream(**asked) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = {event.type for event in events}
    for kind in ("created", "in_progress", "output_item.added", "reasoning_summary_part.added",
                 "reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done",
                 "content_part.added", "output_text.delta", "output_text.done", "content_part.done",
                 "function_call_arguments.delta", "function_call_arguments.done", "output_item.done", "completed"):
        assert "response." + kind in kinds, kind
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert final.output_text == whole.output_text and final.usage == whole.usage
    items = [item.model_dump(exclude_none=True) for item in whole.output]
    outputs = [{"type": "function_call_output", "call_id": c.call_id, "output": "sunny"} for c in calls]
    after = chat.responses.create(model=MODEL, input=user("weather?") + items + outputs, tools=tools)
    assert after.output_text == "Sunny in both."
    ask = lambda text, **more: chat.responses.create(model=MODEL, input=text, **more)
    check_openai_errors(ask)
    *_, broke = ask("breaks", stream=True)
    assert (broke.type, broke.message, broke.sequence_number) == ("error", "broke", 2)


def check_openai_errors(ask):
    for stream in (False, True):
        limited = raises(openai.RateLimitError, lambda: ask("limited", stream=stream))
        assert limited.response.headers["retry-after"] == "3" and "slow down" in limited.message
        assert limited.code == "rate_limit_exceeded"
        raises(openai.BadRequestError, lambda: ask("wrong", stream=stream))
        raises(openai.AuthenticationError, lambda: ask("stranger", stream=stream))
        unexpected = raises(openai.BadRequestError, lambda: ask("nobody asks this", stream=stream))
        assert "has no rule for this request" in unexpected.message
    assert raises(openai.InternalServerError, lambda: ask("overloaded")).status_code == 529
    raises(Exception, lambda: list(ask("cut", stream=True)))


def check_messages():
    tools = [{"name": "weather", "input_schema": PARAMETERS}]
    asked = dict(model=MODEL, max_tokens=100, messages=user("weather?"), tools=tools)
    whole = claude.messages.create(**asked)
    thinking, text, *calls = whole.content
    assert (thinking.type, thinking.thinking) == ("thinking", "Two cities, two calls.")
    assert text.text == "I will look." and whole.stop_reason == "tool_use"
    assert [call.input["city"] for call in calls] == CITIES
    usage = whole.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (10, 60, 30)
    with claude.messages.stream(**asked) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_message()
    assert {"message_start", "content_block_start", "content_block_delta", "thinking", "signature", "text",
            "input_json", "content_block_stop", "message_delta", "message_stop"} <= kinds, kinds
    dump = lambda message: [block.model_dump(exclude_none=True) for block in message.content]
    assert [{**b, "input": b.get("input")} for b in dump(final)] == [{**b, "input": b.get("input")} for b in dump(whole)]
    assert final.usage.output_tokens == usage.output_tokens == 20
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]
    said = user("weather?") + [{"role": "assistant", "content": dump(final)}, {"role": "user", "content": results}]
    after = claude.messages.create(**{**asked, "messages": said})
    assert after.content[0].text == "Sunny in both."
    assert claude.messages.count_tokens(model=MODEL, messages=said).input_tokens > 0
    check_anthropic_errors(lambda text, **more: claude.messages.create(
        model=MODEL, max_tokens=9, messages=user(text), **more))


def check_anthropic_errors(ask):
    for stream in (False, True):
        limited = raises(anthropic.RateLimitError, lambda: ask("limited", stream=stream))
        assert limited.response.headers["retry-after"] == "3"
        assert limited.body["error"]["type"] == "rate_limit_error"
        raises(anthropic.BadRequestError, lambda: ask("wrong", stream=stream))
        raises(anthropic.AuthenticationError, lambda: ask("stranger", stream=stream))
        unexpected = raises(anthropic.BadRequestError, lambda: ask("nobody asks this", stream=stream))
        assert "has no rule for this request" in unexpected.body["error"]["message"]
    assert raises(anthropic.InternalServerError, lambda: ask("overloaded")).status_code == 529
    raises(Exception, lambda: list(ask("cut", stream=True)))
    raises(anthropic.APIStatusError, lambda: list(ask("breaks", stream=True)))


def check_catalogue():
    assert [(m.id, m.owned_by) for m in chat.models.list()] == [(MODEL, "scripted")]
    assert [m.id for m in claude.models.list()] == [MODEL]
    assert chat.models.retrieve(MODEL).id == MODEL
    by_default = chat.embeddings.create(model="e", input=["a cat"], dimensions=8)
    as_floats = chat.embeddings.create(model="e", input="a cat", dimensions=8, encoding_format="float")
    near = zip(by_default.data[0].embedding, as_floats.data[0].embedding, strict=True)
    assert all(abs(one - other) < 1e-6 for one, other in near)


for check in (check_catalogue, check_chat, check_responses, check_messages):
    check()
    print(check.__name__, "ok")
print("all understood")
