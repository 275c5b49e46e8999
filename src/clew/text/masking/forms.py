"""Forms of keys and tokens that nothing else has, as the services that issue them describe them.

Each row has the kind of secret, a hint (an RE2 pattern for a quick first search), and the full
pattern, which matches in one way only. No letter or digit stands right before a form. Tokens have
no greatest length here: one may hold claims, such as a JWT. ``SECRET_CHARACTERS_MAX`` bounds how
far from what is shown a secret is looked for.
"""

FORMS = (
    ("AGE_KEY", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("AWS_KEY", "AKIA|ASIA|AROA|AIDA", r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("GITHUB_TOKEN", "gh[pousr]_", r"gh[pousr]_[A-Za-z0-9]{36,}+"),
    ("GITHUB_TOKEN", "github_pat_", r"github_pat_\w{22,}+"),
    ("GITLAB_TOKEN", "gl[a-z]{2,4}-", r"gl(?:cbt|dt|ft|pat|ptt|rt|soat)-[A-Za-z0-9_-]{20,}+"),
    ("SLACK_TOKEN", "xox[abeoprs]-", r"xox[abeoprs]-[A-Za-z0-9-]{10,}+"),
    ("SLACK_TOKEN", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}+"),
    ("GOOGLE_KEY", "AIza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("GOOGLE_KEY", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
    ("GOOGLE_TOKEN", r"ya29\.", r"ya29\.[A-Za-z0-9_-]{20,}+"),
    ("STRIPE_KEY", "[rs]k_(?:live|test)_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    ("STRIPE_KEY", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}+"),
    ("API_KEY", r"sk-[\w-]{20}", r"sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}+"),
    ("API_KEY", "key-[0-9a-f]{32}", r"key-[0-9a-f]{32}(?![0-9a-f])"),
    ("NPM_TOKEN", "npm_", r"npm_[A-Za-z0-9]{36,}+"),
    ("PYPI_TOKEN", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}+"),
    ("HUGGINGFACE_TOKEN", "hf_[A-Za-z0-9]{30}", r"hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9_])"),
    ("SENDGRID_KEY", r"SG\.[\w-]{16}", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    ("DIGITALOCEAN_TOKEN", "do[opr]_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    ("DOCKER_TOKEN", "dckr_[op]at_", r"dckr_[op]at_[A-Za-z0-9_-]{20,}+"),
    ("SHOPIFY_TOKEN", "shp[acps][ast]_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("LINEAR_KEY", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}+"),
    ("FIGMA_TOKEN", "figd_", r"figd_[A-Za-z0-9_-]{32,}+"),
    ("ATLASSIAN_TOKEN", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{50,}+"),
    ("VAULT_TOKEN", r"hv[bsr]\.[\w-]{24}", r"hv[bsr]\.[A-Za-z0-9_-]{24,}+"),
    ("DATABRICKS_TOKEN", "dapi[0-9a-f]{32}", r"dapi[0-9a-f]{32}(?![0-9a-f])"),
    ("TELEGRAM_TOKEN", r":AA[\w-]{33}", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    (
        "JWT",
        r"eyJ[\w-]{8}",
        r"(?<![_-])eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+",
    ),
)
