"""The settings files of a vault: concept rules, rules, pipelines, and the format of daily notes."""
