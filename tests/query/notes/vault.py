"""A vault with a link, an embed, an unresolved target, aliases, tags and an orphan."""

VAULT = {
    "Index.md": "# Start\n[[Topic]] and ![[pic.png]]\n\n[[nowhere]] [[nowhere#x|twice]]\n",
    "sub/Topic.md": "---\naliases: [Thing]\ntags: [A/b]\n---\n# Topic\nSee [[#Own]] #c\n",
    "Alone.md": "nobody #a/b #a/z\n",
}
