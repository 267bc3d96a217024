"""A small coding agent that speaks ACP, built with the SDK; its model is any server of the Chat format.

    MODEL_URL=http://127.0.0.1:PORT MODEL_KEY=… HOME=… python acp_agent.py

It is a real agent: it asks its model what to do, has tools for files and the shell, starts the MCP servers it is
given, asks for permission as others do, keeps its sessions in HOME and can resume them. Beside that it has tools
through which a script makes it misbehave, and FAKE_ACP, a list of words, for what happens before any model is asked.
"""

# ruff: noqa: ASYNC230, ASYNC240, PLR0912, T201  # a program for one client, not a server
from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from typing import Any

import acp
import httpx
from acp import schema as s

WORDS = set(os.environ.get("FAKE_ACP", "").split())
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
]
MODES = ("default", "auto", "read-only")
OBJECT = {"type": "object", "properties": {}}


def tool(name: str, **properties: str) -> dict[str, Any]:
    members = {each: {"type": kind} for each, kind in properties.items()}
    schema = {"type": "object", "properties": members, "required": [*members]}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = [
    tool("WriteFile", file_path="string", content="string"),
    tool("ReadFile", file_path="string"),
    tool("Shell", command="string"),
    # Through these a script tries what no honest agent does.
    tool("fs_write"), tool("terminal"), tool("permit"), tool("mode"), tool("raw"), tool("die"), tool("stop"),
    tool("error"), tool("hang"), tool("late"), tool("flood"),
]  # fmt: skip


class Stop(Exception):
    """The turn ends here."""


class McpServer:
    """A server of tools that the client named, spoken to as any agent would."""

    def __init__(self, given: s.McpServerStdio) -> None:
        self.name, self._given, self._next = given.name, given, 0
        self.tools: list[dict[str, Any]] = []

    async def start(self, cwd: str) -> None:
        env = {"PATH": os.environ["PATH"], **{each.name: each.value for each in self._given.env}}
        self._process = await asyncio.create_subprocess_exec(
            self._given.command, *self._given.args, cwd=cwd, env=env, stdin=-1, stdout=-1
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "0"}}
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
        self.history: list[dict[str, Any]] = [{"role": "system", "content": f"Working directory: {cwd}"}]
        self.servers: list[McpServer] = []
        self.cancelled = asyncio.Event()
        self.late = False

    @staticmethod
    def file(ident: str) -> str:
        return os.path.join(os.environ["HOME"], ".fake-acp", f"{ident}.json")

    def save(self) -> None:
        os.makedirs(os.path.dirname(self.file(self.ident)), exist_ok=True)
        with open(self.file(self.ident), "w", encoding="utf-8") as file:
            json.dump(self.history, file)


class FakeAgent(acp.Agent):
    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.usage = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        self.calls = 0

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, client_capabilities: Any = None, **_: Any) -> Any:
        if "noise" in WORDS:
            print("starting up …", flush=True)
        if "mute" in WORDS:
            await asyncio.sleep(3600)
        if "huge" in WORDS:
            os.set_blocking(1, True)
            os.write(1, b'{"jsonrpc": "2.0", "id": 0, "result": "')
            while True:
                os.write(1, b"x" * 65536)
        fs = client_capabilities.fs if client_capabilities else None
        offered = bool(fs and (fs.read_text_file or fs.write_text_file)) or bool(client_capabilities.terminal)
        sessions = s.SessionCapabilities(resume=s.SessionResumeCapabilities()) if "no-resume" not in WORDS else None
        return s.InitializeResponse(
            protocol_version=2 if "v2" in WORDS else protocol_version,
            agent_capabilities=s.AgentCapabilities(load_session="load" in WORDS, session_capabilities=sessions),
            agent_info=s.Implementation(name="fake-acp", version="offered" if offered else "1.0"),
            auth_methods=[s.AuthMethodAgent(id="key", name="Key")],
        )

    async def authenticate(self, method_id: str, **_: Any) -> None:
        WORDS.discard("login")

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> Any:
        if "login" in WORDS:
            raise acp.RequestError.auth_required({"details": "log in first"})
        if "bad-answer" in WORDS:
            return {"sessionId": 7}
        session = Session(uuid.uuid4().hex, cwd)
        self.sessions[session.ident] = session
        session.save()
        await self._start(session, mcp_servers)
        return s.NewSessionResponse(session_id=session.ident, modes=self._modes())

    async def resume_session(self, session_id: str, cwd: str, mcp_servers: Any = None, **_: Any) -> Any:
        await self._again(session_id, cwd, mcp_servers)
        return s.ResumeSessionResponse(modes=self._modes())

    async def load_session(self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any) -> Any:
        session = await self._again(session_id, cwd, mcp_servers)
        for each in session.history:  # a replay, which is none of this turn
            if each["role"] == "assistant" and each.get("content"):
                await self._update(session, acp.update_agent_message_text(each["content"]))
        return s.LoadSessionResponse(modes=self._modes())

    async def _again(self, ident: str, cwd: str, servers: Any) -> Session:
        if not os.path.exists(Session.file(ident)):
            raise acp.RequestError.resource_not_found(ident)
        session = Session(ident, cwd)
        with open(Session.file(ident), encoding="utf-8") as file:
            session.history = json.load(file)
        answered = {each.get("tool_call_id") for each in session.history}
        for call in [call for each in session.history for call in each.get("tool_calls") or ()]:
            if call["id"] not in answered:
                session.history.append({"role": "tool", "tool_call_id": call["id"], "content": "interrupted"})
        self.sessions[ident] = session
        await self._start(session, servers)
        return session

    async def _start(self, session: Session, servers: Any) -> None:
        for each in servers or ():
            session.servers.append(McpServer(each))
            await session.servers[-1].start(session.cwd)

    @staticmethod
    def _modes() -> s.SessionModeState | None:
        if "no-modes" in WORDS:
            return None
        current = "auto" if "starts-auto" in WORDS else "default"
        before = "https://example.org/modes#" if "addressed-modes" in WORDS else ""
        modes = [s.SessionMode(id=f"{before}{each}", name=each) for each in MODES]
        return s.SessionModeState(available_modes=modes, current_mode_id=f"{before}{current}")

    async def set_session_mode(self, mode_id: str, session_id: str, **_: Any) -> None:
        update = s.CurrentModeUpdate(session_update="current_mode_update", current_mode_id=mode_id)
        await self._update(self.sessions[session_id], update)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if "deaf" not in WORDS:
            self.sessions[session_id].cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        session = self.sessions[session_id]
        session.cancelled.clear()
        text = "\n".join(each.text for each in prompt if isinstance(each, s.TextContentBlock))
        session.history.append({"role": "user", "content": text})
        session.save()
        work, cancel = asyncio.ensure_future(self._work(session)), asyncio.ensure_future(session.cancelled.wait())
        await asyncio.wait({work, cancel}, return_when=asyncio.FIRST_COMPLETED)
        cancel.cancel()
        if not work.done():
            work.cancel()
            session.save()
            return s.PromptResponse(stop_reason="cancelled")
        if session.late:
            asyncio.get_running_loop().call_later(0.05, lambda: asyncio.ensure_future(self._late(session)))
        return {"stopReason": work.result(), "usage": self.usage}

    async def _late(self, session: Session) -> None:
        for _ in range(50):
            await self._update(session, acp.update_agent_message_text("DONE: said after the end"))

    async def _work(self, session: Session) -> str:
        while True:
            said = await self._ask_model(session)
            session.history.append({key: value for key, value in said.items() if value is not None})
            session.save()
            if said.get("content"):
                for piece in said["content"].split(" "):
                    await self._update(session, acp.update_agent_message_text(piece + " "))
            if not said.get("tool_calls"):
                return "end_turn"
            for call in said["tool_calls"]:
                try:
                    result = await self._call(session, call)
                except Stop as stop:
                    return str(stop)
                session.history.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            session.save()

    async def _ask_model(self, session: Session) -> dict[str, Any]:
        tools = [*TOOLS]
        for server in session.servers:
            tools += [
                {"type": "function", "function": {"name": f"{server.name}_{each['name']}", "parameters": each["inputSchema"]}}
                for each in server.tools
            ]
        body = {"model": "scripted", "messages": session.history, "tools": tools}
        key = {"authorization": f"Bearer {os.environ.get('MODEL_KEY', 'none')}"}
        async with httpx.AsyncClient(base_url=os.environ.get("MODEL_URL") or os.environ["ANTHROPIC_BASE_URL"], headers=key, timeout=120, trust_env=False) as model:
            for attempt in range(3):
                try:
                    answer = await model.post("/v1/chat/completions", json=body)
                    if answer.status_code < 400:
                        found = answer.json()
                        self._count(found.get("usage") or {})
                        return dict(found["choices"][0]["message"])
                    fault = f"HTTP {answer.status_code}: {answer.text[:200]}"
                    if answer.status_code == 429 and attempt:
                        break
                except (httpx.HTTPError, ValueError) as broken:
                    fault = repr(broken)
                await asyncio.sleep(0.05)
        raise acp.RequestError.internal_error({"details": fault})

    def _count(self, usage: dict[str, int]) -> None:
        for ours, theirs in (("inputTokens", "prompt_tokens"), ("outputTokens", "completion_tokens"), ("totalTokens", "total_tokens")):
            self.usage[ours] += usage.get(theirs, 0)

    async def _call(self, session: Session, call: dict[str, Any]) -> str:
        name = call["function"]["name"]
        given = json.loads(call["function"]["arguments"] or "{}")
        server = next((each for each in session.servers if name.startswith(f"{each.name}_")), None)
        if server is not None:
            return await self._mcp(session, call["id"], server, name.removeprefix(f"{server.name}_"), given)
        match name:
            case "WriteFile":
                return await self._write(session, call["id"], given["file_path"], given["content"])
            case "ReadFile":
                return await self._read(session, call["id"], given["file_path"])
            case "Shell":
                return await self._shell(session, call["id"], given["command"])
        if any(each["function"]["name"] == name for each in TOOLS):
            return await self._misbehave(session, name, given)
        return f"there is no tool {name}"

    # -- honest tools

    async def _write(self, session: Session, ident: str, path: str, content: str) -> str:
        where = os.path.join(session.cwd, path)
        self.calls += 1
        diff = {"type": "diff", "path": where, "newText": content}
        shown = {"toolCallId": ident, "title": f"Write {path}", "kind": "edit", "locations": [{"path": where}], "content": [diff]}
        if not await self._allowed(session, shown):
            return "the user refused this"
        try:
            os.makedirs(os.path.dirname(where), exist_ok=True)
            with open(where, "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as fault:
            await self._status(session, ident, "failed")
            return f"failed: {fault.strerror}"
        await self._status(session, ident, "completed")
        return "written"

    async def _read(self, session: Session, ident: str, path: str) -> str:
        where = os.path.join(session.cwd, path)
        shown = {"toolCallId": ident, "title": f"Read {path}", "kind": "read", "locations": [{"path": where}]}
        inside = os.path.realpath(where).startswith(os.path.realpath(session.cwd) + os.sep)
        if not await self._allowed(session, shown, ask=not inside):
            return "the user refused this"
        try:
            with open(where, encoding="utf-8") as file:
                found = file.read(100_000)
        except OSError as fault:
            await self._status(session, ident, "failed")
            return f"failed: {fault.strerror}"
        await self._status(session, ident, "completed")
        return found

    async def _shell(self, session: Session, ident: str, command: str) -> str:
        shown = {"toolCallId": ident, "title": command, "kind": "execute", "rawInput": {"command": command}}
        if not await self._allowed(session, shown):
            return "the user refused this"
        process = await asyncio.create_subprocess_shell(command, cwd=session.cwd, stdin=-3, stdout=-1, stderr=-2)
        assert process.stdout
        output = await process.stdout.read(100_000)
        code = await process.wait()
        await self._status(session, ident, "completed" if code == 0 else "failed")
        return f"{output.decode(errors='replace')}\nexit {code}"

    async def _mcp(self, session: Session, ident: str, server: McpServer, name: str, given: Any) -> str:
        title = f"mcp__{server.name}__{name}"
        if not await self._allowed(session, {"toolCallId": ident, "title": title, "kind": "other", "rawInput": given}):
            return "the user refused this"
        answer = await server.ask("tools/call", {"name": name, "arguments": given})
        result = answer.get("result", {})
        await self._status(session, ident, "failed" if result.get("isError") else "completed")
        return json.dumps(answer.get("error")) if "error" in answer else str(result["content"][0]["text"])

    async def _allowed(self, session: Session, shown: dict[str, Any], *, ask: bool = True) -> bool:
        await self._raw_update(session, {"sessionUpdate": "tool_call", "status": "pending", **shown})
        if not ask or "unasking" in WORDS:
            return True
        outcome = await self._permit(session, {"toolCall": shown})
        if outcome.get("optionId") in {"yes", "always"}:
            await self._status(session, shown["toolCallId"], "in_progress")
            return True
        await self._status(session, shown["toolCallId"], "failed")
        if "ends-on-reject" in WORDS:
            raise Stop("cancelled" if outcome["outcome"] == "cancelled" else "end_turn")
        return False

    # -- others

    async def _misbehave(self, session: Session, name: str, given: dict[str, Any]) -> str:
        """A tool that does something with the protocol itself."""
        connection = self.client._conn
        match name:
            case "permit":
                return json.dumps(await self._permit(session, given))
            case "fs_write" | "terminal":
                method = "fs/write_text_file" if name == "fs_write" else "terminal/create"
                try:
                    await connection.send_request(method, {"sessionId": session.ident, **given})
                except acp.RequestError as error:
                    return f"refused: {error.code}"
                return "done by the client"
            case "mode":
                await self._raw_update(session, {"sessionUpdate": "current_mode_update", "currentModeId": given["mode"]})
                await asyncio.sleep(given.get("seconds", 0.3))
            case "raw":
                for line in given["lines"]:
                    os.write(1, (line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
            case "flood":
                params = {"sessionId": session.ident, "update": given.get("update")}
                update = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
                line = given.get("line", update).encode() + b"\n"
                os.set_blocking(1, True)
                for _ in range(given["times"]):
                    os.write(1, line)
            case "die":
                os._exit(given.get("code", 9))
            case "stop":
                raise Stop(given["reason"])
            case "error":
                raise acp.RequestError(given["code"], given["message"], given.get("data"))
            case "hang":
                await asyncio.sleep(3600)
            case "late":
                session.late = True
        return "done"

    async def _permit(self, session: Session, given: dict[str, Any]) -> dict[str, Any]:
        asked = {"sessionId": session.ident, "options": OPTIONS, **given}
        answer = await self.client._conn.send_request("session/request_permission", asked)
        return dict(answer["outcome"])

    async def _status(self, session: Session, ident: str, status: str) -> None:
        await self._raw_update(session, {"sessionUpdate": "tool_call_update", "toolCallId": ident, "status": status})

    async def _raw_update(self, session: Session, update: dict[str, Any]) -> None:
        await self.client._conn.send_notification("session/update", {"sessionId": session.ident, "update": update})

    async def _update(self, session: Session, update: Any) -> None:
        await self.client.session_update(session_id=session.ident, update=update)


if __name__ == "__main__":
    if "dies" in WORDS:
        sys.exit("no model is configured")
    asyncio.run(acp.run_agent(FakeAgent(), use_unstable_protocol=True))
