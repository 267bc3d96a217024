"""Version 1 of the protocol through its SDK. No other module knows the SDK; import this one only
where it is used.

Requests and their answers go through the SDK's connection and models. What agents send on their own
is passed on
unchanged: the models repair what they cannot read, which helps editors and is wrong where rules are
enforced.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from acp import AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION, RequestError, text_block
from acp import schema as acp
from acp.core import Connection
from pydantic import BaseModel, ValidationError

import podium
from podium.agents.reporting.injection import Injection

VERSION = 1
assert PROTOCOL_VERSION == VERSION
UPDATE = CLIENT_METHODS["session_update"]
PERMISSION = CLIENT_METHODS["session_request_permission"]
METHOD_NOT_FOUND = -32601
_Model = TypeVar("_Model", bound=BaseModel)


class Refused(Exception):
    """An error of the protocol: the agent's in place of an answer, or ours to the agent."""

    def __init__(self, code: int, message: str, data: Any = None, *, asked: str = "") -> None:
        super().__init__(message)
        self.code, self.data, self.asked = code, data, asked


class Lost(Exception):
    """The agent went away or broke the rules before it answered. The message names the request."""


class Malformed(Exception):
    """An answer that cannot be read."""


class Transport(Protocol):
    """Sends and receives the messages of one conversation; None is the end."""

    async def send(self, message: dict[str, Any]) -> None: ...
    async def receive(self) -> dict[str, Any] | None: ...
    async def close(self) -> None: ...


Handler = Callable[[str, Any], Awaitable[Mapping[str, Any] | None]]
"""Takes a method and its raw params, returns the result or raises Refused. For notifications
both are ignored.
"""


@dataclass(frozen=True)
class Hello:
    """Who the agent says it is, and what it can do."""

    version: int
    name: str
    release: str
    loads: bool
    resumes: bool
    logins: tuple[str, ...]


@dataclass(frozen=True)
class Session:
    ident: str
    mode: str = ""
    """The mode the session starts in; "" if it has none."""
    modes: tuple[str, ...] = ()
    options: Mapping[str, Any] | None = None
    """Configuration options by id, with their current values."""


@dataclass(frozen=True)
class Turn:
    """How a prompt ended."""

    reason: str
    usage: Mapping[str, Any] | None = None


class Wire:
    """Our end of one conversation."""

    def __init__(self, transport: Transport, handler: Handler) -> None:
        self._handler = handler
        self._connection = Connection(self._handle, transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._connection.close()

    async def _handle(self, method: str, params: Any, notification: bool) -> Any:
        try:
            return await self._handler(method, params)
        except Refused as refused:
            if notification:
                return None
            raise RequestError(refused.code, str(refused), refused.data) from None

    async def initialize(self) -> Hello:
        request = acp.InitializeRequest(
            protocol_version=VERSION,
            client_capabilities=acp.ClientCapabilities(
                fs=acp.FileSystemCapabilities(read_text_file=False, write_text_file=False),
                terminal=False,
            ),
            client_info=acp.Implementation(name="podium", version=podium.__version__),
        )
        said = await self._ask("initialize", request, acp.InitializeResponse)
        can, info = said.agent_capabilities or acp.AgentCapabilities(), said.agent_info
        sessions = can.session_capabilities
        return Hello(
            version=said.protocol_version,
            name=info.name if info else "",
            release=info.version if info else "",
            loads=bool(can.load_session),
            resumes=sessions is not None and sessions.resume is not None,
            logins=tuple(each.id for each in said.auth_methods or ()),
        )

    async def log_in(self, method: str) -> None:
        await self._ask(
            "authenticate", acp.AuthenticateRequest(method_id=method), acp.AuthenticateResponse
        )

    async def new_session(self, folder: str, servers: Sequence[Injection]) -> Session:
        request = acp.NewSessionRequest(cwd=folder, mcp_servers=_servers(servers))
        said = await self._ask("session_new", request, acp.NewSessionResponse)
        return _session(said.session_id, said)

    async def resume_session(
        self, ident: str, folder: str, servers: Sequence[Injection], hello: Hello
    ) -> Session:
        """Continue a session, without a replay of the old messages if the agent can skip it."""
        if hello.resumes:
            again = acp.ResumeSessionRequest(
                session_id=ident, cwd=folder, mcp_servers=_servers(servers)
            )
            return _session(
                ident, await self._ask("session_resume", again, acp.ResumeSessionResponse)
            )
        load = acp.LoadSessionRequest(session_id=ident, cwd=folder, mcp_servers=_servers(servers))
        return _session(ident, await self._ask("session_load", load, acp.LoadSessionResponse))

    async def set_mode(self, session: str, mode: str) -> None:
        request = acp.SetSessionModeRequest(session_id=session, mode_id=mode)
        await self._ask("session_set_mode", request, acp.SetSessionModeResponse)

    async def set_option(self, session: str, option: str, value: str) -> None:
        request = acp.SetSessionConfigOptionSelectRequest(
            session_id=session, config_id=option, value=value
        )
        await self._ask("session_set_config_option", request, acp.SetSessionConfigOptionResponse)

    async def prompt(self, session: str, text: str) -> Turn:
        request = acp.PromptRequest(session_id=session, prompt=[text_block(text)])
        said = await self._send("session_prompt", request)
        reason = said.get("stopReason") if isinstance(said, Mapping) else None
        if not isinstance(reason, str):
            raise Malformed("the answer to session/prompt gives no reason for the end")
        usage = said.get("usage")
        return Turn(reason, usage if isinstance(usage, Mapping) else None)

    async def cancel(self, session: str) -> None:
        note = acp.CancelNotification(session_id=session)
        try:
            await self._connection.send_notification(AGENT_METHODS["session_cancel"], _plain(note))
        except ConnectionError:
            return

    async def _ask(self, name: str, request: BaseModel, answer: type[_Model]) -> _Model:
        said = await self._send(name, request)
        try:
            return answer.model_validate(said if isinstance(said, Mapping) else {})
        except ValidationError as fault:
            first = fault.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise Malformed(
                f"the answer to {AGENT_METHODS[name]} is not valid: {where}: {first['msg']}"
            ) from None

    async def _send(self, name: str, request: BaseModel) -> Any:
        method = AGENT_METHODS[name]
        try:
            return await self._connection.send_request(method, _plain(request))
        except RequestError as error:
            raise Refused(error.code, str(error), error.data, asked=method) from None
        except ConnectionError:
            raise Lost(method) from None


def _plain(model: BaseModel) -> dict[str, Any]:
    """Defaults are sent as well: some agents replace a missing value with a default of their
    own.
    """
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _servers(given: Sequence[Injection]) -> list[Any]:
    return [
        acp.McpServerStdio(
            name=each.name,
            command=each.command,
            args=list(each.args),
            env=[acp.EnvVariable(name=name, value=value) for name, value in each.env.items()],
        )
        for each in given
    ]


def _session(ident: str, said: Any) -> Session:
    modes = said.modes
    return Session(
        ident=ident,
        mode=modes.current_mode_id if modes else "",
        modes=tuple(each.id for each in modes.available_modes) if modes else (),
        options={each.id: each.current_value for each in said.config_options or ()},
    )
