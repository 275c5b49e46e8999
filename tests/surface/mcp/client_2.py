"""A session with the second generation of the protocol's Python client, as lines of JSON.

    python client_2.py MODE COMMAND...           # run by ``test_clients.py`` in its environment

MODE is ``auto`` (discover, the default of the client) or ``legacy`` (the handshake).
"""

import asyncio
import json
import sys
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def talk(mode: Any, words: list[str]) -> dict[str, Any]:
    server = StdioServerParameters(command=words[0], args=words[1:])
    async with Client(stdio_client(server), mode=mode) as client:
        tools = await client.list_tools()
        good = await client.call_tool("search", {"query": "clock drift", "limit": 2})
        bad = await client.call_tool("read", {"ref": "no such note"})
        templates = await client.list_resource_templates()
        note = await client.read_resource("memory://Index.md")
        prompts = await client.list_prompts()
        prompt = await client.get_prompt("what_do_i_know", {"topic": "tides"})
        return {
            "revision": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "good": [good.is_error, good.content[0].text],
            "bad": [bad.is_error, bad.content[0].text],
            "templates": [row.uri_template for row in templates.resource_templates],
            "note": note.contents[0].text,
            "prompts": [row.name for row in prompts.prompts],
            "prompt": prompt.messages[0].content.text,
        }


sys.stdout.write(json.dumps(asyncio.run(talk(sys.argv[1], sys.argv[2:]))))
