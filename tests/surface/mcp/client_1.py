"""A session with the first generation of the protocol's Python client, as lines of JSON.

python client_1.py REVISION COMMAND...       # run by ``test_clients.py`` in its environment
"""

import asyncio
import json
import sys
from typing import Any

import mcp.client.session
import mcp.types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl


async def talk(revision: str, words: list[str]) -> dict[str, Any]:
    for module in (mcp.types, mcp.client.session.types):
        module.LATEST_PROTOCOL_VERSION = revision  # what the client offers
    server = StdioServerParameters(command=words[0], args=words[1:])
    async with stdio_client(server) as pipes, ClientSession(*pipes) as session:
        began = await session.initialize()
        await session.send_ping()
        tools = await session.list_tools()
        good = await session.call_tool("search", {"query": "clock drift", "limit": 2})
        bad = await session.call_tool("read", {"ref": "no such note"})
        templates = await session.list_resource_templates()
        note = await session.read_resource(AnyUrl("memory://Index.md"))
        prompts = await session.list_prompts()
        prompt = await session.get_prompt("what_do_i_know", {"topic": "tides"})
        return {
            "revision": began.protocolVersion,
            "tools": [tool.name for tool in tools.tools],
            "good": [good.isError, good.content[0].text],
            "bad": [bad.isError, bad.content[0].text],
            "templates": [row.uriTemplate for row in templates.resourceTemplates],
            "note": note.contents[0].text,
            "prompts": [row.name for row in prompts.prompts],
            "prompt": prompt.messages[0].content.text,
        }


sys.stdout.write(json.dumps(asyncio.run(talk(sys.argv[1], sys.argv[2:]))))
