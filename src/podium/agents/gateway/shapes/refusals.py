"""A refusal in each provider's format, so that agents understand it and do not retry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from podium.agents.gateway.shapes.figures import Shape

Cause = Literal["token", "model", "budget", "request", "size", "upstream", "timeout", "replay"]

STATUS: Mapping[Cause, int] = {
    "token": 401,
    "model": 404,
    "budget": 403,
    "request": 400,
    "size": 413,
    "upstream": 502,
    "timeout": 504,
    "replay": 400,
}
_ANTHROPIC: Mapping[Cause, str] = {
    "token": "authentication_error",
    "model": "not_found_error",
    "budget": "permission_error",
    "size": "request_too_large",
    "upstream": "api_error",
    "timeout": "timeout_error",
}
_OPENAI: Mapping[Cause, tuple[str, str]] = {
    "token": ("authentication_error", "invalid_api_key"),
    "model": ("invalid_request_error", "model_not_found"),
    "budget": ("insufficient_quota", "insufficient_quota"),
    "upstream": ("server_error", "bad_gateway"),
    "timeout": ("server_error", "timeout"),
}
_GEMINI: Mapping[Cause, str] = {
    "token": "UNAUTHENTICATED",
    "model": "NOT_FOUND",
    "budget": "PERMISSION_DENIED",
    "upstream": "UNAVAILABLE",
    "timeout": "DEADLINE_EXCEEDED",
}


def body(shape: Shape, cause: Cause, message: str) -> dict[str, Any]:
    """The JSON of a refusal. An unknown format gets OpenAI's, which most others have copied."""
    if shape == "anthropic":
        kind = _ANTHROPIC.get(cause, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    if shape == "gemini":
        status = _GEMINI.get(cause, "INVALID_ARGUMENT")
        return {"error": {"code": STATUS[cause], "message": message, "status": status}}
    kind, code = _OPENAI.get(cause, ("invalid_request_error", ""))
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}
