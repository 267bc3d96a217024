"""What commands need outside the project: folders of toolchains and caches, and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Use = Literal["toolchain", "cache", "store"]
"""`toolchain`: programs, only read. `cache`: may be lost, is written. `store`: packages that
installed folders lead to by links.
"""


@dataclass(frozen=True)
class ToolFolder:
    path: str
    """Absolute, if a variable names it, or else relative to HOME."""
    of: str
    use: Use
    by: str = ""
    """The variable that names it; empty = its usual place."""


_USUAL: tuple[tuple[str, str, Use, str], ...] = (
    # place below HOME, whose it is, use, variable that puts it elsewhere
    (".cargo", "cargo", "toolchain", "CARGO_HOME"),
    (".cargo/registry", "cargo", "cache", ""),
    (".cargo/git", "cargo", "cache", ""),
    (".rustup", "rustup", "toolchain", "RUSTUP_HOME"),
    (".cache/sccache", "sccache", "cache", "SCCACHE_DIR"),
    (".cache/ccache", "ccache", "cache", "CCACHE_DIR"),
    (".ccache", "ccache", "cache", ""),
    ("go", "go", "store", "GOPATH"),
    ("go/pkg/mod", "go", "store", "GOMODCACHE"),
    (".cache/go-build", "go", "cache", "GOCACHE"),
    ("sdk", "go", "toolchain", ""),
    (".goenv", "goenv", "toolchain", "GOENV_ROOT"),
    (".nvm", "nvm", "toolchain", "NVM_DIR"),
    (".volta", "volta", "toolchain", "VOLTA_HOME"),
    (".fnm", "fnm", "toolchain", "FNM_DIR"),
    (".local/share/fnm", "fnm", "toolchain", ""),
    (".nodenv", "nodenv", "toolchain", "NODENV_ROOT"),
    ("n", "n", "toolchain", "N_PREFIX"),
    (".npm", "npm", "cache", "npm_config_cache"),
    (".npm-global", "npm", "toolchain", "npm_config_prefix"),
    (".cache/node", "corepack", "toolchain", "COREPACK_HOME"),
    (".local/share/pnpm", "pnpm", "toolchain", "PNPM_HOME"),
    (".local/share/pnpm/store", "pnpm", "store", ""),
    (".cache/pnpm", "pnpm", "cache", ""),
    (".yarn", "yarn", "store", ""),
    (".cache/yarn", "yarn", "cache", "YARN_CACHE_FOLDER"),
    (".bun", "bun", "toolchain", "BUN_INSTALL"),
    (".deno", "deno", "toolchain", "DENO_INSTALL"),
    (".cache/deno", "deno", "store", "DENO_DIR"),
    (".cache/ms-playwright", "playwright", "toolchain", "PLAYWRIGHT_BROWSERS_PATH"),
    (".cache/puppeteer", "puppeteer", "toolchain", "PUPPETEER_CACHE_DIR"),
    (".cache/Cypress", "cypress", "toolchain", "CYPRESS_CACHE_FOLDER"),
    (".cache/electron", "electron", "cache", "ELECTRON_CACHE"),
    (".pyenv", "pyenv", "toolchain", "PYENV_ROOT"),
    (".virtualenvs", "virtualenvwrapper", "toolchain", "WORKON_HOME"),
    (".local/share/virtualenvs", "pipenv", "toolchain", ""),
    (".cache/pypoetry", "poetry", "store", "POETRY_CACHE_DIR"),
    (".local/share/pypoetry", "poetry", "toolchain", "POETRY_HOME"),
    (".cache/pip", "pip", "cache", "PIP_CACHE_DIR"),
    (".cache/uv", "uv", "store", "UV_CACHE_DIR"),
    (".local/share/uv", "uv", "toolchain", "UV_PYTHON_INSTALL_DIR"),
    (".local/share/hatch", "hatch", "toolchain", "HATCH_DATA_DIR"),
    (".cache/hatch", "hatch", "cache", "HATCH_CACHE_DIR"),
    (".cache/pdm", "pdm", "cache", "PDM_CACHE_DIR"),
    (".local/share/pdm", "pdm", "toolchain", ""),
    (".local/pipx", "pipx", "toolchain", "PIPX_HOME"),
    (".local/share/pipx", "pipx", "toolchain", ""),
    (".local/bin", "programs of yours", "toolchain", ""),
    (".local/lib", "pip --user", "toolchain", "PYTHONUSERBASE"),
    ("miniconda3", "conda", "toolchain", "CONDA_PREFIX"),
    ("anaconda3", "conda", "toolchain", ""),
    ("miniforge3", "conda", "toolchain", ""),
    (".conda", "conda", "store", "CONDA_PKGS_DIRS"),
    ("micromamba", "mamba", "toolchain", "MAMBA_ROOT_PREFIX"),
    (".pixi", "pixi", "toolchain", "PIXI_HOME"),
    (".cache/pre-commit", "pre-commit", "cache", "PRE_COMMIT_HOME"),
    (".rbenv", "rbenv", "toolchain", "RBENV_ROOT"),
    (".rvm", "rvm", "toolchain", "rvm_path"),
    (".rubies", "chruby", "toolchain", ""),
    (".gem", "gem", "store", "GEM_HOME"),
    (".bundle", "bundler", "store", "BUNDLE_PATH"),
    (".local/share/gem", "gem", "store", ""),
    (".composer", "composer", "toolchain", "COMPOSER_HOME"),
    (".config/composer", "composer", "toolchain", ""),
    (".cache/composer", "composer", "cache", "COMPOSER_CACHE_DIR"),
    (".phpenv", "phpenv", "toolchain", "PHPENV_ROOT"),
    (".sdkman", "sdkman", "toolchain", "SDKMAN_DIR"),
    (".jenv", "jenv", "toolchain", "JENV_ROOT"),
    (".jdks", "java", "toolchain", ""),
    (".m2", "maven", "store", "MAVEN_USER_HOME"),
    (".gradle", "gradle", "store", "GRADLE_USER_HOME"),
    (".konan", "kotlin", "store", "KONAN_DATA_DIR"),
    (".ivy2", "ivy", "store", ""),
    (".sbt", "sbt", "store", ""),
    (".cache/coursier", "coursier", "store", "COURSIER_CACHE"),
    ("Android/Sdk", "android", "toolchain", "ANDROID_HOME"),
    (".android", "android", "store", "ANDROID_USER_HOME"),
    (".dotnet", "dotnet", "toolchain", "DOTNET_ROOT"),
    (".nuget", "nuget", "store", "NUGET_PACKAGES"),
    (".local/share/NuGet", "nuget", "cache", ""),
    (".mix", "mix", "toolchain", "MIX_HOME"),
    (".hex", "hex", "store", "HEX_HOME"),
    (".cache/rebar3", "rebar", "cache", "REBAR_CACHE_DIR"),
    (".kiex", "kiex", "toolchain", ""),
    (".asdf", "asdf", "toolchain", "ASDF_DATA_DIR"),
    (".local/share/mise", "mise", "toolchain", "MISE_DATA_DIR"),
    (".config/mise", "mise", "toolchain", "MISE_CONFIG_DIR"),
    (".local/state/mise", "mise", "cache", "MISE_STATE_DIR"),
    (".proto", "proto", "toolchain", "PROTO_HOME"),
    (".nix-profile", "nix", "toolchain", ""),
    (".local/state/nix", "nix", "toolchain", ""),
    ("perl5", "perl", "toolchain", "PERL_LOCAL_LIB_ROOT"),
    (".perlbrew", "perlbrew", "toolchain", "PERLBREW_ROOT"),
    (".plenv", "plenv", "toolchain", "PLENV_ROOT"),
    (".cpanm", "cpanm", "cache", "PERL_CPANM_HOME"),
    (".luarocks", "luarocks", "toolchain", ""),
    (".opam", "opam", "toolchain", "OPAMROOT"),
    (".ghcup", "ghcup", "toolchain", "GHCUP_INSTALL_BASE_PREFIX"),
    (".cabal", "cabal", "store", "CABAL_DIR"),
    (".stack", "stack", "store", "STACK_ROOT"),
    (".juliaup", "juliaup", "toolchain", "JULIAUP_DEPOT_PATH"),
    (".julia", "julia", "store", "JULIA_DEPOT_PATH"),
    (".pub-cache", "dart", "store", "PUB_CACHE"),
    ("flutter", "flutter", "toolchain", "FLUTTER_ROOT"),
    (".swiftly", "swiftly", "toolchain", "SWIFTLY_HOME_DIR"),
    (".zvm", "zvm", "toolchain", "ZVM_PATH"),
    (".cache/zig", "zig", "cache", "ZIG_GLOBAL_CACHE_DIR"),
    (".cache/bazel", "bazel", "cache", ""),
    (".cache/bazelisk", "bazelisk", "toolchain", "BAZELISK_HOME"),
)
_ELSEWHERE: tuple[tuple[str, str, Use], ...] = (
    # what has no usual place below HOME
    ("JAVA_HOME", "java", "toolchain"),
    ("JDK_HOME", "java", "toolchain"),
    ("GRAALVM_HOME", "java", "toolchain"),
    ("MAVEN_HOME", "maven", "toolchain"),
    ("M2_HOME", "maven", "toolchain"),
    ("GRADLE_HOME", "gradle", "toolchain"),
    ("GOROOT", "go", "toolchain"),
    ("GOBIN", "go", "toolchain"),
    ("VIRTUAL_ENV", "venv", "toolchain"),
    ("PYTHONHOME", "python", "toolchain"),
    ("PYTHONPYCACHEPREFIX", "python", "cache"),
    ("UV_PROJECT_ENVIRONMENT", "uv", "toolchain"),
    ("UV_TOOL_DIR", "uv", "toolchain"),
    ("NODE_PATH", "node", "toolchain"),
    ("NVM_BIN", "nvm", "toolchain"),
    ("ANDROID_SDK_ROOT", "android", "toolchain"),
    ("CARGO_TARGET_DIR", "cargo", "cache"),
    ("RBENV_DIR", "rbenv", "toolchain"),
    ("GEM_PATH", "gem", "toolchain"),
    ("XDG_CACHE_HOME", "caches", "cache"),
    ("LLVM_HOME", "llvm", "toolchain"),
    ("VCPKG_ROOT", "vcpkg", "toolchain"),
    ("CONAN_HOME", "conan", "store"),
    ("NIX_PROFILES", "nix", "toolchain"),
)
_SECRET = re.compile(
    r"(?i)(^|_)(token|secrets?|passw(or)?ds?|passwd|pwd|passphrase|api_?keys?|apikey|credentials?|"
    r"auth|authtoken|private_?key|access_?key(_id)?|signing_?key|encryption_?key|master_?key|"
    r"secret_?key|pat|bearer|jwt|cookie|session_?key|connection_?string|dsn|webhook(_url)?)"
    r"(_[a-z0-9]{1,6})?$"
)
_KEY = re.compile(r"(?i)(^|_)keys?$")
_VENDORS = re.compile(
    r"^(AWS|AZURE|GCP|GOOGLE|GCLOUD|CLOUDSDK|ALIBABA|DIGITALOCEAN|HEROKU|FLY|VERCEL|NETLIFY|"
    r"CLOUDFLARE|CF|STRIPE|TWILIO|SENDGRID|SENTRY|DATADOG|DD|NEWRELIC|OPENAI|ANTHROPIC|GEMINI|"
    r"OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|COHERE|HF|HUGGINGFACE|REPLICATE|VAULT|CONSUL|NOMAD|"
    r"GITHUB|GH|GITLAB|BITBUCKET|GITEA|NPM|PYPI|TWINE|CARGO_REGISTR(Y|IES)|SLACK|DISCORD|TELEGRAM|"
    r"DOCKER|KUBE|SSH|GPG|PULUMI|TF_VAR|TERRAFORM|SNOWFLAKE|DATABRICKS)_"
)
_HARMLESS = re.compile(
    r"(?i)^(AWS_(DEFAULT_)?REGION|AWS_(DEFAULT_)?OUTPUT|AWS_PAGER|AWS_SDK_.*|AWS_EC2_.*|AWS_"
    r"ENDPOINT_URL.*|AWS_MAX_ATTEMPTS|AWS_RETRY_MODE|(GOOGLE|GCLOUD|CLOUDSDK)_(CLOUD_)?(PROJECT|"
    r"CORE_PROJECT|REGION|ZONE|COMPUTE_.*)|GCLOUD_PROJECT|GITHUB_(ACTIONS?|ACTOR|REF.*|REPOSITORY.*"
    r"|RUN_.*|SHA|WORKFLOW.*|WORKSPACE|JOB|EVENT_.*|API_URL|SERVER_URL|GRAPHQL_URL|ENV|PATH|OUTPUT|"
    r"STATE|BASE_REF|HEAD_REF|STEP_SUMMARY)|GITLAB_(CI|USER_.*|FEATURES)|DOCKER_(HOST|BUILDKIT|"
    r"CONTEXT|API_VERSION|TLS_VERIFY|DEFAULT_PLATFORM)|SSH_(TTY|CLIENT|CONNECTION)|GPG_TTY|"
    r"SENTRY_(ENVIRONMENT|RELEASE)|DD_(ENV|SERVICE|VERSION|TRACE_ENABLED)|VERCEL_ENV|HF_(HOME|"
    r"HUB_.*|DATASETS_.*)|(OPENAI|ANTHROPIC|GEMINI)_(BASE_URL|MODEL|API_BASE)|NPM_CONFIG_(CACHE|"
    r"PREFIX|REGISTRY|LOGLEVEL)|npm_config_(?!.*(auth|token|password)).*|CARGO_REGISTR(Y|IES)_\w*"
    r"(INDEX|DEFAULT|PROTOCOL)|PYTHONHASHSEED|KEYBOARD|XKB_.*|KEYTIMEOUT|PWD|OLDPWD|"
    r".*_(PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|HOT|LOOKUP)_?KEYS?|PUBLIC_KEY|MONKEY|DONKEY|"
    r"TURKEY|HOTKEY|XAUTHORITY|SSH_ASKPASS.*|GIT_ASKPASS|GIT_TERMINAL_PROMPT|AUTH_(URL|TYPE|"
    r"MODE|METHOD|PROVIDER)|TOKENIZERS_PARALLELISM|.*_(KEY_?FILE|TOKEN_FILE|DSN_TEMPLATE)_NAME)$"
)
_IN_ADDRESS = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:[^/\s@]+@")


def is_secret(name: str, value: str = "") -> bool:
    """Whether a variable of this name looks like a secret, or its value is an address with a
    password in it.
    """
    if _IN_ADDRESS.match(value):
        return True
    if _HARMLESS.match(name):
        return False
    return bool(_SECRET.search(name) or _KEY.search(name) or _VENDORS.match(name))


def for_commands(environ: Mapping[str, str]) -> dict[str, str]:
    """What a command gets of a person's environment: all but what looks like a secret and what is
    Podium's own. A project's own variables are as much part of its tests as PATH.
    """
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith("PODIUM_") and not is_secret(name, value)
    }


def tool_folders(environ: Mapping[str, str]) -> tuple[ToolFolder, ...]:
    """The folders that commands may need below HOME, or where a variable puts them; whether one
    exists is for the caller to see.
    """
    folders: list[ToolFolder] = []
    for place, owner, use, variable in _USUAL:
        value = environ.get(variable, "") if variable else ""
        names = _absolute(value)
        folders += (
            [ToolFolder(path, owner, use, variable) for path in names]
            if names
            else [ToolFolder(place, owner, use)]
        )
    for variable, owner, use in _ELSEWHERE:
        folders += [
            ToolFolder(path, owner, use, variable) for path in _absolute(environ.get(variable, ""))
        ]
    return tuple(dict.fromkeys(folders))


def _absolute(value: str) -> Iterable[str]:
    """The folders in a variable, several of them parted as in PATH."""
    return tuple(
        path.rstrip("/") for path in value.split(":") if path.startswith("/") and path.rstrip("/")
    )
