"""Names from one pinned version of the GenAI conventions; all of them are still in development
there.
"""

from __future__ import annotations

from collections.abc import Iterable

VERSION = "1.41.0"
"""Of open-telemetry/semantic-conventions; the last one that includes the GenAI part."""
SCHEMA = f"https://opentelemetry.io/schemas/{VERSION}"

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
AGENT = "gen_ai.agent.name"
WORKFLOW = "gen_ai.workflow.name"
CONVERSATION = "gen_ai.conversation.id"
TOOL = "gen_ai.tool.name"
MODEL = "gen_ai.request.model"
TOKENS_IN = "gen_ai.usage.input_tokens"
TOKENS_OUT = "gen_ai.usage.output_tokens"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - a name from the conventions
ERROR = "error.type"

INVOKE_AGENT, INVOKE_WORKFLOW, EXECUTE_TOOL = "invoke_agent", "invoke_workflow", "execute_tool"

TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105 - likewise
TOKEN_BOUNDS = (
    1,
    4,
    16,
    64,
    256,
    1024,
    4096,
    16384,
    65536,
    262144,
    1048576,
    4194304,
    16777216,
    67108864,
)
DURATION = "gen_ai.client.operation.duration"
DURATION_BOUNDS = (
    0.01,
    0.02,
    0.04,
    0.08,
    0.16,
    0.32,
    0.64,
    1.28,
    2.56,
    5.12,
    10.24,
    20.48,
    40.96,
    81.92,
)

_OTHER = "_OTHER"
_PROVIDERS = (
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "gcp.gemini"),
)


def provider(models: Iterable[str]) -> str:
    """The provider of the models, by their names; the conventions require a value even if it is
    unknown.
    """
    found = {
        name
        for model in models
        for start, name in _PROVIDERS
        if model.rpartition("/")[2].startswith(start)
    }
    return found.pop() if len(found) == 1 else _OTHER
