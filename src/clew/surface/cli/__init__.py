"""The command line: a thin client; the common path imports neither click nor asyncio."""
