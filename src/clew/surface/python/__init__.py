"""The Python API: requests to a daemon with typed replies, blocking or with asyncio."""
