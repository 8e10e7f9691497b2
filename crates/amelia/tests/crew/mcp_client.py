"""The official Python client at work, newest or oldest: takes a task from its plan to a merge, and prints what it has seen.

    mcp_client.py stdio PROGRAM [MODE]
    mcp_client.py http URL TOKEN
"""

import asyncio
import json
import os
import sys

TASK = {"task": "It does not add", "wait": True}


async def work(call, resources):
    """The same calls for every client: `call(tool, args)` returns text, content and whether it is an error."""
    _, started, _ = await call("start", TASK)
    await call("plan", {"run": "r1"})
    _, approved, _ = await call("approve", {"run": "r1", "wait": True})
    diff, _, _ = await call("diff", {"run": "r1"})
    refused, _, is_error = await call("status", {"run": "r99"})
    assert is_error, refused
    _, _, is_error = await call("merge", {"run": "r1"})
    assert not is_error
    return {
        "waited_for": started["run"]["waiting_for"],
        "status": approved["run"]["status"],
        "diff": diff,
        "refused": refused,
        "resources": [str(uri) for uri in await resources()],
    }


async def newest(server, **options):
    from mcp import Client

    progress = []

    async def heard(done, total, message):
        progress.append((done, message))

    async with Client(server, **options) as client:
        await client.list_tools()

        async def call(tool, args):
            result = await client.call_tool(tool, args, progress_callback=heard)
            return result.content[0].text, result.structured_content, result.is_error

        async def resources():
            return [resource.uri for resource in (await client.list_resources()).resources]

        seen = await work(call, resources)
        return {**seen, "protocol": client.protocol_version, "progress": len(progress)}


async def newest_call(server, tool, args):
    from mcp import Client

    async with Client(server) as client:
        return (await client.call_tool(tool, args)).content[0].text


async def oldest(program):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=program, args=["mcp", "serve"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        await session.list_tools()

        async def call(tool, args):
            result = await session.call_tool(tool, args)
            return result.content[0].text, result.structuredContent, result.isError

        async def resources():
            return [resource.uri for resource in (await session.list_resources()).resources]

        seen = await work(call, resources)
        return {**seen, "protocol": hello.protocolVersion}


async def over_http(url, token):
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    def transport(headers):
        client = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(120))
        return streamable_http_client(url, http_client=client)

    # Such a server works in no directory of its own.
    refused_task = await newest_call(transport({"Authorization": f"Bearer {token}"}), "start", TASK)
    TASK["directory"] = os.getcwd()
    try:
        await newest(transport({}))
        refused = "answered"
    except BaseException:
        refused = "refused"
    seen = await newest(transport({"Authorization": f"Bearer {token}"}))
    return {**seen, "without_token": refused, "without_directory": refused_task}


async def main():
    kind, *rest = sys.argv[1:]
    if kind == "http":
        return await over_http(*rest)
    try:
        from mcp import Client  # noqa: F401
    except ImportError:
        return await oldest(rest[0])
    from mcp import StdioServerParameters

    server = StdioServerParameters(command=rest[0], args=["mcp", "serve"], env=dict(os.environ))
    return await newest(server, **({"mode": rest[1]} if rest[1:] else {}))


print(json.dumps(asyncio.run(main())))
