"""How thorough the final review is, decided from the changed paths and nothing an agent says.

Full wins over Lightweight: one path in a sensitive area is enough. A path is matched as a whole and
by its words, so that `**/auth` matches `src/AuthService.ts` and `lib/user_auth.py` but not
`AUTHORS`. The policy cannot change which paths are security-relevant. No changed path at all means
Standard: it does not prove that only documentation changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from podium.core.globs import matches

Tier = Literal["Full", "Standard", "Lightweight"]
TIERS: tuple[Tier, ...] = ("Full", "Standard", "Lightweight")


def _named(*words: str) -> tuple[str, ...]:
    return tuple(f"**/{word}" for word in words)


SECURITY: Sequence[str] = (
    *_named(
        "auth",
        "authn",
        "authz",
        "authentication",
        "authorization",
        "authorisation",
        "oauth",
        "oauth2",
    ),
    *_named(
        "login",
        "logout",
        "session",
        "sessions",
        "password",
        "passwords",
        "jwt",
        "sso",
        "saml",
        "mfa",
    ),
    *_named(
        "security", "secret", "secrets", "credential", "credentials", "token", "tokens", "vault"
    ),
    *_named(
        "crypto", "cryptography", "encryption", "tls", "ssl", "certificate", "certificates", "certs"
    ),
    *_named("permission", "permissions", "acl", "rbac", "policy", "policies", "sandbox", "sudoers"),
    *(
        "**/.env",
        "**/.env.*",
        "**/*.pem",
        "**/*.key",
        "**/*.crt",
        "**/.npmrc",
        "**/.pypirc",
        "**/codeowners",
    ),
    *(".github/workflows", ".github/actions", ".gitlab-ci.yml", "**/jenkinsfile", ".circleci"),
    *("**/agents.md", "**/claude.md", ".github/agents", ".claude", ".podium"),
)
"""Always Full."""
_PUBLIC = _named("api", "apis", "public")
"""Words for an interface that others use, unless the folder is marked as internal."""
_INTERNAL = ("**/internal/**", "**/_internal/**")
DEFAULT_RULES: Mapping[str, Sequence[str]] = {
    "Full": (
        *_named(
            "storage",
            "store",
            "database",
            "databases",
            "db",
            "migration",
            "migrations",
            "persistence",
        ),
        *("**/*.sql", "**/schema", "**/*.prisma"),
        *_named("payment", "payments", "billing", "invoice", "invoices", "checkout"),
        *_named("admin", "administration"),
        *_named(
            "network",
            "networking",
            "net",
            "http",
            "proxy",
            "socket",
            "sockets",
            "webhook",
            "webhooks",
        ),
        *_named("server", "firewall", "ingress"),
        *_named("core", "kernel", "architecture"),
        *_PUBLIC,
        *_named("openapi", "swagger", "graphql"),
        *("**/*.proto", "**/*.graphql"),
    ),
    "Lightweight": (
        *(
            "docs/**",
            "doc/**",
            "**/*.md",
            "**/*.rst",
            "**/*.adoc",
            "**/license",
            "**/license.*",
            "**/notice",
        ),
        *(
            "**/*.toml",
            "**/*.ini",
            "**/*.cfg",
            "**/*.conf",
            "**/*.yaml",
            "**/*.yml",
            "**/*.properties",
        ),
        *("**/config/**/*.json", "**/config.json", "**/*.config.json"),
        *(
            "**/tsconfig*.json",
            "**/.editorconfig",
            "**/.gitignore",
            "**/.gitattributes",
            "**/.dockerignore",
        ),
        *(
            "**/.prettierrc*",
            "**/.prettierignore",
            "**/.eslintrc*",
            "**/.eslintignore",
            "**/.clang-format",
        ),
        *(
            "**/package.json",
            "**/package-lock.json",
            "**/npm-shrinkwrap.json",
            "**/yarn.lock",
            "**/*.lock",
        ),
        *(
            "**/requirements*.txt",
            "**/constraints*.txt",
            "**/go.mod",
            "**/go.sum",
            "**/gemfile",
            "**/pipfile",
        ),
    ),
}
_WORD = re.compile(r"\*\*/[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[^a-z0-9/]+")


def rules_of(policy: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """The globs that a policy gives; a tier without any keeps the built-in ones."""
    given = {"Full": policy.get("review_full"), "Lightweight": policy.get("review_lightweight")}
    return {name: tuple(globs) for name, globs in given.items() if globs}


def review_tier(
    changed_paths: Iterable[str], rules: Mapping[str, Sequence[str]] = DEFAULT_RULES
) -> Tier:
    """`rules` has globs under `Full` and `Lightweight`; a missing one takes the default."""
    paths = [path.replace("\\", "/").removeprefix("./") for path in changed_paths]
    full = (*SECURITY, *_folded(rules.get("Full", DEFAULT_RULES["Full"])))
    light = _folded(rules.get("Lightweight", DEFAULT_RULES["Lightweight"]))
    if any(_is_full(path, full) for path in paths):
        return "Full"
    if paths and all(matches(path.casefold(), light) for path in paths):
        return "Lightweight"
    return "Standard"


def _is_full(path: str, globs: Sequence[str]) -> bool:
    if matches(path.casefold(), _INTERNAL):
        globs = tuple(glob for glob in globs if glob not in _PUBLIC)
    words = tuple(glob for glob in globs if _WORD.fullmatch(glob))
    return matches(path.casefold(), globs) or matches(_words(path), words)


def joined(known: str, more: Tier) -> Tier:
    """The tier of two sets of paths together; `known` is empty if there is none yet."""
    if "Full" in (known, more):
        return "Full"
    return more if known in ("", more) else "Standard"


def _folded(globs: Iterable[str]) -> tuple[str, ...]:
    return tuple(glob.casefold() for glob in globs)


def _words(path: str) -> str:
    """The path with every word of its names as a separate part: `src/user/auth/py`."""
    return _BETWEEN.sub("/", _CAMEL.sub("/", path).casefold())
