"""A small coding agent that speaks ACP; its model is any server of the Chat format.

    MODEL_URL=http://127.0.0.1:PORT MODEL_KEY=… HOME=… python acp_agent.py

It is a real agent: it asks its model what to do, has tools for files and the shell, starts the MCP
servers it is given, asks for permission as others do, keeps its sessions in HOME and can resume
them. Beside that it has tools through which a script makes it misbehave, and words (FAKE_ACP, or
its arguments) for what no script can say: how it starts, and which promise of the contract it
breaks (`BREAKS`).

It imports the standard library only: hundreds of tests start it, and the protocol's SDK alone would
take most of a second each time. Its messages are the plain lines of the protocol, which Podium
reads by the SDK.
"""

# ruff: noqa: ASYNC230, ASYNC240, PLR0912, T201  # a program for one client, not a server
from __future__ import annotations

import asyncio
import json
import os
import select
import sys
from typing import Any

WORDS = {*os.environ.get("FAKE_ACP", "").split(), *sys.argv[1:]}
BREAKS = {
    "lies": "says that it wrote, and wrote nothing",
    "gives-up": "asks its model once, and never again",
    "silent": "says that it reported, and did not",
    "alone": "asks no model, and says that it is done",
    "forges": "writes a verdict that its model did not give",
    "swallows": "takes a refusal for an answer",
    "obliging": "does what tools would do that nobody declared",
    "forgetful": "goes on with a session, and knows nothing of it",
}
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
]
MODES = ("default", "auto", "read-only")


def tool(name: str, **properties: str) -> dict[str, Any]:
    members = {each: {"type": kind} for each, kind in properties.items()}
    schema = {"type": "object", "properties": members, "required": [*members]}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = [
    tool("WriteFile", file_path="string", content="string"),
    tool("ReadFile", file_path="string"),
    tool("Shell", command="string"),
    # Through these a script tries what no honest agent does.
    tool("fs_write"),
    tool("terminal"),
    tool("permit"),
    tool("mode"),
    tool("raw"),
    tool("die"),
    tool("stop"),
    tool("error"),
    tool("hang"),
    tool("late"),
    tool("flood"),
]


class Stop(Exception):
    """The turn ends here."""


class Refused(Exception):
    """An answer that is an error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


async def unknown(**_: Any) -> None:
    raise Refused(-32601, "Method not found")


class Talk:
    """JSON-RPC in lines: requests both ways, each of the client's in a task of its own."""

    def __init__(self, methods: dict[str, Any]) -> None:
        self._methods = methods
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._next = 0

    async def listen(self) -> None:
        """To the end of what the client says."""
        reader = asyncio.StreamReader(limit=2**26)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        while line := await reader.readline():
            message = json.loads(line)
            if "method" in message:
                task = asyncio.ensure_future(self._do(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif (waiting := self._asked.pop(message["id"], None)) and not waiting.done():
                self._take(waiting, message)

    @staticmethod
    def _take(waiting: asyncio.Future[Any], message: dict[str, Any]) -> None:
        if "error" in message:
            fault = message["error"]
            waiting.set_exception(Refused(fault["code"], fault["message"], fault.get("data")))
        else:
            waiting.set_result(message["result"])

    async def _do(self, message: dict[str, Any]) -> None:
        said: dict[str, Any]
        try:
            said = {
                "result": await self._methods.get(message["method"], unknown)(
                    **message.get("params") or {}
                )
            }
        except Refused as error:
            said = {"error": {"code": error.code, "message": str(error), "data": error.data}}
        except Exception as fault:  # noqa: BLE001  # whatever it was is told
            said = {
                "error": {
                    "code": -32603,
                    "message": "Internal error",
                    "data": {"details": repr(fault)},
                }
            }
        if "id" in message:
            self._say({"id": message["id"], **said})

    async def ask(self, method: str, params: Any) -> Any:
        self._next += 1
        self._asked[self._next] = asyncio.get_running_loop().create_future()
        self._say({"id": self._next, "method": method, "params": params})
        return await self._asked[self._next]

    def tell(self, method: str, params: Any) -> None:
        self._say({"method": method, "params": params})

    @staticmethod
    def _say(message: dict[str, Any]) -> None:
        put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def put(data: bytes) -> None:
    """To the client, whole, however slowly it reads."""
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:
            select.select([], [1], [])


async def post(url: str, path: str, body: bytes, key: str) -> tuple[int, bytes]:
    """One request, one connection; OSError and ValueError where the answer is not whole."""
    host, _, prefix = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port or 80))
    try:
        where = f"/{prefix.rstrip('/')}{path}" if prefix else path
        head = (
            f"POST {where} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n"
            "content-type: application/json\r\n"
        )
        writer.write(
            f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body
        )
        await writer.drain()
        first, _, told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").partition("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in told.strip().split("\r\n"))
        if headers.get("transfer-encoding") == "chunked":
            return int(first.split()[1]), await _chunks(reader)
        return int(first.split()[1]), await reader.readexactly(int(headers["content-length"]))
    finally:
        writer.close()


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    found = b""
    while size := int(await reader.readline(), 16):
        found += (await reader.readexactly(size + 2))[:-2]
    return found


class McpServer:
    """A server of tools that the client named, spoken to as any agent would."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.name, self._given, self._next = given["name"], given, 0
        self.tools: list[dict[str, Any]] = []

    async def start(self, cwd: str) -> None:
        env = {
            "PATH": os.environ["PATH"],
            **{each["name"]: each["value"] for each in self._given["env"]},
        }
        self._process = await asyncio.create_subprocess_exec(
            self._given["command"], *self._given["args"], cwd=cwd, env=env, stdin=-1, stdout=-1
        )
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "fake", "version": "0"},
        }
        await self.ask("initialize", hello)
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = (await self.ask("tools/list", {}))["result"]["tools"]

    async def ask(self, method: str, params: Any) -> Any:
        self._next += 1
        await self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self._process.stdout
        return json.loads(await self._process.stdout.readline())

    async def _send(self, message: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()


class Session:
    def __init__(self, ident: str, cwd: str) -> None:
        self.ident, self.cwd = ident, cwd
        self.history: list[dict[str, Any]] = [
            {"role": "system", "content": f"Working directory: {cwd}"}
        ]
        self.servers: list[McpServer] = []
        self.cancelled = asyncio.Event()
        self.late = False

    @staticmethod
    def file(ident: str) -> str:
        return os.path.join(os.environ["HOME"], ".fake-acp", f"{ident}.json")

    def save(self) -> None:
        os.makedirs(os.path.dirname(self.file(self.ident)), exist_ok=True)
        aside = self.file(self.ident) + ".new"
        with open(aside, "w", encoding="utf-8") as file:
            json.dump(self.history, file)
        os.replace(
            aside, self.file(self.ident)
        )  # it may be killed in the middle, and is asked to go on


class FakeAgent:
    def __init__(self) -> None:
        self.client = Talk(
            {
                "initialize": self.initialize,
                "authenticate": self.authenticate,
                "session/new": self.new_session,
                "session/resume": self.resume_session,
                "session/load": self.load_session,
                "session/set_mode": self.set_session_mode,
                "session/cancel": self.cancel,
                "session/prompt": self.prompt,
            }
        )
        self.sessions: dict[str, Session] = {}
        self.usage = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        self.calls = 0

    # -- the protocol, whose names of parameters are these

    async def initialize(
        self,
        protocolVersion: int,  # noqa: N803
        clientCapabilities: Any = None,  # noqa: N803
        **_: Any,  # noqa: N803, RUF100
    ) -> Any:
        if "noise" in WORDS:
            print("starting up …", flush=True)
        if "mute" in WORDS:
            await asyncio.sleep(3600)
        if "huge" in WORDS:
            put(b'{"jsonrpc": "2.0", "id": 0, "result": "')
            while True:
                put(b"x" * 65536)
        offered = any((clientCapabilities.get("fs") or {}).values()) or clientCapabilities.get(
            "terminal"
        )
        sessions = {"sessionCapabilities": {"resume": {}}} if "no-resume" not in WORDS else {}
        return {
            "protocolVersion": 2 if "v2" in WORDS else protocolVersion,
            "agentCapabilities": {"loadSession": "load" in WORDS, **sessions},
            "agentInfo": {"name": "fake-acp", "version": "offered" if offered else "1.0"},
            "authMethods": [{"id": "key", "name": "Key"}],
        }

    async def authenticate(self, **_: Any) -> Any:
        WORDS.discard("login")
        return {}

    async def new_session(self, cwd: str, mcpServers: Any = None, **_: Any) -> Any:  # noqa: N803
        if "login" in WORDS:
            raise Refused(-32000, "Authentication required", {"details": "log in first"})
        if "bad-answer" in WORDS:
            return {"sessionId": 7}
        session = Session(os.urandom(16).hex(), cwd)
        self.sessions[session.ident] = session
        session.save()
        await self._start(session, mcpServers)
        return {"sessionId": session.ident, **self._modes()}

    async def resume_session(
        self,
        sessionId: str,  # noqa: N803
        cwd: str,
        mcpServers: Any = None,  # noqa: N803
        **_: Any,  # noqa: N803, RUF100
    ) -> Any:
        await self._again(sessionId, cwd, mcpServers)
        return self._modes()

    async def load_session(self, sessionId: str, cwd: str, mcpServers: Any = None, **_: Any) -> Any:  # noqa: N803
        session = await self._again(sessionId, cwd, mcpServers)
        for each in session.history:  # a replay, which is none of this turn
            if each["role"] == "assistant" and each.get("content"):
                self._words(session, each["content"])
        return self._modes()

    async def _again(self, ident: str, cwd: str, servers: Any) -> Session:
        if not os.path.exists(Session.file(ident)):
            raise Refused(-32002, "Resource not found", {"uri": ident})
        session = Session(ident, cwd)
        if "forgetful" not in WORDS:
            with open(Session.file(ident), encoding="utf-8") as file:
                session.history = json.load(file)
        answered = {each.get("tool_call_id") for each in session.history}
        for call in [call for each in session.history for call in each.get("tool_calls") or ()]:
            if call["id"] not in answered:
                session.history.append(
                    {"role": "tool", "tool_call_id": call["id"], "content": "interrupted"}
                )
        self.sessions[ident] = session
        await self._start(session, servers)
        return session

    async def _start(self, session: Session, servers: Any) -> None:
        for each in servers or ():
            session.servers.append(McpServer(each))
            await session.servers[-1].start(session.cwd)

    @staticmethod
    def _modes() -> dict[str, Any]:
        if "no-modes" in WORDS:
            return {}
        before = "https://example.org/modes#" if "addressed-modes" in WORDS else ""
        current = f"{before}{'auto' if 'starts-auto' in WORDS else 'default'}"
        return {
            "modes": {
                "availableModes": [{"id": f"{before}{each}", "name": each} for each in MODES],
                "currentModeId": current,
            }
        }

    async def set_session_mode(self, modeId: str, sessionId: str, **_: Any) -> Any:  # noqa: N803
        self._update(
            self.sessions[sessionId],
            {"sessionUpdate": "current_mode_update", "currentModeId": modeId},
        )
        return {}

    async def cancel(self, sessionId: str, **_: Any) -> None:  # noqa: N803
        if "deaf" not in WORDS:
            self.sessions[sessionId].cancelled.set()

    async def prompt(self, sessionId: str, prompt: list[Any], **_: Any) -> Any:  # noqa: N803
        session = self.sessions[sessionId]
        session.cancelled.clear()
        text = "\n".join(each["text"] for each in prompt if each["type"] == "text")
        session.history.append({"role": "user", "content": text})
        session.save()
        work, cancel = (
            asyncio.ensure_future(self._work(session)),
            asyncio.ensure_future(session.cancelled.wait()),
        )
        await asyncio.wait({work, cancel}, return_when=asyncio.FIRST_COMPLETED)
        cancel.cancel()
        if not work.done():
            work.cancel()
            session.save()
            return {"stopReason": "cancelled"}
        if session.late:
            asyncio.get_running_loop().call_later(0.05, self._late, session)
        return {"stopReason": work.result(), "usage": self.usage}

    # -- its work

    def _late(self, session: Session) -> None:
        for _ in range(50):
            self._words(session, "DONE: said after the end")

    async def _work(self, session: Session) -> str:
        while "alone" not in WORDS:
            said = await self._ask_model(session)
            session.history.append({key: value for key, value in said.items() if value is not None})
            session.save()
            if said.get("content"):
                for piece in said["content"].split(" "):
                    self._words(session, piece + " ")
            if not said.get("tool_calls"):
                break
            for call in said["tool_calls"]:
                try:
                    result = await self._call(session, call)
                except Stop as stop:
                    return str(stop)
                session.history.append(
                    {"role": "tool", "tool_call_id": call["id"], "content": result}
                )
            session.save()
        if "forges" in WORDS:
            with open(os.environ["PODIUM_VERDICT"], "w", encoding="utf-8") as file:
                json.dump({"status": "done", "summary": "forged"}, file)
        return "end_turn"

    async def _ask_model(self, session: Session) -> dict[str, Any]:
        tools = [*TOOLS]
        for server in session.servers:
            tools += [
                {
                    "type": "function",
                    "function": {
                        "name": f"{server.name}_{each['name']}",
                        "parameters": each["inputSchema"],
                    },
                }
                for each in server.tools
            ]
        body = json.dumps(
            {"model": "scripted", "messages": session.history, "tools": tools}
        ).encode()
        url = os.environ.get("MODEL_URL") or os.environ["ANTHROPIC_BASE_URL"]
        for attempt in range(1 if "gives-up" in WORDS else 3):
            try:
                status, said = await post(
                    url, "/v1/chat/completions", body, os.environ.get("MODEL_KEY", "none")
                )
                if status < 400:
                    found = json.loads(said)
                    self._count(found.get("usage") or {})
                    return dict(found["choices"][0]["message"])
                fault = f"HTTP {status}: {said.decode(errors='replace')[:200]}"
                if status == 429 and attempt:
                    break
            except (OSError, EOFError, ValueError) as broken:
                fault = repr(broken)
            await asyncio.sleep(0.05)
        if "swallows" in WORDS:
            return {"role": "assistant", "content": "All is well."}
        raise Refused(-32603, "Internal error", {"details": fault})

    def _count(self, usage: dict[str, int]) -> None:
        for ours, theirs in (
            ("inputTokens", "prompt_tokens"),
            ("outputTokens", "completion_tokens"),
            ("totalTokens", "total_tokens"),
        ):
            self.usage[ours] += usage.get(theirs, 0)

    async def _call(self, session: Session, call: dict[str, Any]) -> str:
        name = call["function"]["name"]
        given = json.loads(call["function"]["arguments"] or "{}")
        server = next((each for each in session.servers if name.startswith(f"{each.name}_")), None)
        if server is not None:
            return await self._mcp(
                session, call["id"], server, name.removeprefix(f"{server.name}_"), given
            )
        match name:
            case "WriteFile":
                return await self._write(session, call["id"], given["file_path"], given["content"])
            case "ReadFile":
                return await self._read(session, call["id"], given["file_path"])
            case "Shell":
                return await self._shell(session, call["id"], given["command"])
        if any(each["function"]["name"] == name for each in TOOLS):
            return await self._misbehave(session, name, given)
        if "obliging" in WORDS:
            return await self._write(
                session,
                call["id"],
                given.get("path") or given["file_path"],
                given.get("content") or given["file_text"],
            )
        return f"there is no tool {name}"

    # -- honest tools

    async def _write(self, session: Session, ident: str, path: str, content: str) -> str:
        where = os.path.join(session.cwd, path)
        self.calls += 1
        diff = {"type": "diff", "path": where, "newText": content}
        shown = {
            "toolCallId": ident,
            "title": f"Write {path}",
            "kind": "edit",
            "locations": [{"path": where}],
            "content": [diff],
        }
        if not await self._allowed(session, shown):
            return "the user refused this"
        try:
            if "lies" in WORDS:
                return "written"
            os.makedirs(os.path.dirname(where), exist_ok=True)
            with open(where, "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as fault:
            self._status(session, ident, "failed")
            return f"failed: {fault.strerror}"
        self._status(session, ident, "completed")
        return "written"

    async def _read(self, session: Session, ident: str, path: str) -> str:
        where = os.path.join(session.cwd, path)
        shown = {
            "toolCallId": ident,
            "title": f"Read {path}",
            "kind": "read",
            "locations": [{"path": where}],
        }
        inside = os.path.realpath(where).startswith(os.path.realpath(session.cwd) + os.sep)
        if not await self._allowed(session, shown, ask=not inside):
            return "the user refused this"
        try:
            with open(where, encoding="utf-8") as file:
                found = file.read(100_000)
        except OSError as fault:
            self._status(session, ident, "failed")
            return f"failed: {fault.strerror}"
        self._status(session, ident, "completed")
        return found

    async def _shell(self, session: Session, ident: str, command: str) -> str:
        shown = {
            "toolCallId": ident,
            "title": command,
            "kind": "execute",
            "rawInput": {"command": command},
        }
        if not await self._allowed(session, shown):
            return "the user refused this"
        shell = "/bin/bash" if os.path.exists("/bin/bash") else None
        process = await asyncio.create_subprocess_shell(
            command, cwd=session.cwd, stdin=-3, stdout=-1, stderr=-2, executable=shell
        )
        assert process.stdout
        output = await process.stdout.read(100_000)
        # `wait` also waits for whoever else holds its output
        while (code := process.returncode) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        self._status(session, ident, "completed" if code == 0 else "failed")
        return f"{output.decode(errors='replace')}\nexit {code}"

    async def _mcp(
        self, session: Session, ident: str, server: McpServer, name: str, given: Any
    ) -> str:
        title = f"mcp__{server.name}__{name}"
        if not await self._allowed(
            session, {"toolCallId": ident, "title": title, "kind": "other", "rawInput": given}
        ):
            return "the user refused this"
        if "silent" in WORDS:
            return "reported"
        answer = await server.ask("tools/call", {"name": name, "arguments": given})
        result = answer.get("result", {})
        self._status(session, ident, "failed" if result.get("isError") else "completed")
        return (
            json.dumps(answer.get("error"))
            if "error" in answer
            else str(result["content"][0]["text"])
        )

    async def _allowed(self, session: Session, shown: dict[str, Any], *, ask: bool = True) -> bool:
        self._update(session, {"sessionUpdate": "tool_call", "status": "pending", **shown})
        if not ask or "unasking" in WORDS:
            return True
        outcome = await self._permit(session, {"toolCall": shown})
        if outcome.get("optionId") in {"yes", "always"}:
            self._status(session, shown["toolCallId"], "in_progress")
            return True
        self._status(session, shown["toolCallId"], "failed")
        if "ends-on-reject" in WORDS:
            raise Stop("cancelled" if outcome["outcome"] == "cancelled" else "end_turn")
        return False

    # -- others

    async def _misbehave(self, session: Session, name: str, given: dict[str, Any]) -> str:
        """A tool that does something with the protocol itself."""
        match name:
            case "permit":
                outcome = await self._permit(session, given)
                return json.dumps(outcome)
            case "fs_write" | "terminal":
                method = "fs/write_text_file" if name == "fs_write" else "terminal/create"
                try:
                    await self.client.ask(method, {"sessionId": session.ident, **given})
                except Refused as error:
                    return f"refused: {error.code}"
                return "done by the client"
            case "mode":
                self._update(
                    session,
                    {"sessionUpdate": "current_mode_update", "currentModeId": given["mode"]},
                )
                await asyncio.sleep(given.get("seconds", 0.3))
            case "raw":
                for line in given["lines"]:
                    put((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
            case "flood":
                params = {"sessionId": session.ident, "update": given.get("update")}
                update = json.dumps(
                    {"jsonrpc": "2.0", "method": "session/update", "params": params}
                )
                line = given.get("line", update).encode() + b"\n"
                for _ in range(given["times"]):
                    put(line)
            case "die":
                os._exit(given.get("code", 9))
            case "stop":
                raise Stop(given["reason"])
            case "error":
                raise Refused(given["code"], given["message"], given.get("data"))
            case "hang":
                await asyncio.sleep(3600)
            case "late":
                session.late = True
        return "done"

    async def _permit(self, session: Session, given: dict[str, Any]) -> dict[str, Any]:
        asked = {"sessionId": session.ident, "options": OPTIONS, **given}
        answer = await self.client.ask("session/request_permission", asked)
        outcome = dict(answer["outcome"])
        if outcome["outcome"] == "cancelled" and "options" not in given and "deaf" not in WORDS:
            # The turn is over, and the word for it is on its way: another call of the model might
            # come before it or not.
            raise Stop("cancelled")
        return outcome

    def _status(self, session: Session, ident: str, status: str) -> None:
        self._update(
            session, {"sessionUpdate": "tool_call_update", "toolCallId": ident, "status": status}
        )

    def _words(self, session: Session, text: str) -> None:
        self._update(
            session,
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
        )

    def _update(self, session: Session, update: dict[str, Any]) -> None:
        self.client.tell("session/update", {"sessionId": session.ident, "update": update})


if __name__ == "__main__":
    if "dies" in WORDS:
        sys.exit("no model is configured")
    asyncio.run(FakeAgent().client.listen())
