"""A small agent as a program: it asks a model, does what the model calls for, and goes on until the
model has enough.

    model_client.py SHAPE BASE_URL KEY [stream] < PROMPT      (`env:NAME` is what the variable of
    that name holds)

It speaks each of the four wire formats, knows three tools and, where PODIUM_VERDICT is set,
`report`; it tries again after an error or a cut, as real agents do. Its final message goes to
standard output.
"""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TEXT = {"type": "string"}
TOOLS = {"Write": ("file_path", "content"), "Read": ("file_path",), "Bash": ("command",)}
TRIES = int(os.environ.get("CLIENT_TRIES", "4"))


def schema(names):
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(names)}


def declared():
    found = {name: schema(names) for name, names in TOOLS.items()}
    if "PODIUM_VERDICT" in os.environ:
        found["mcp__podium__report"] = {"type": "object", "properties": {}}
    return found


def do(name, arguments):
    try:
        if name == "Write":
            os.makedirs(os.path.dirname(arguments["file_path"]) or ".", exist_ok=True)
            with open(arguments["file_path"], "w") as file:
                file.write(arguments["content"])
            return "written"
        if name == "Read":
            with open(arguments["file_path"]) as file:
                return file.read()
        if name == "Bash":
            done = subprocess.run(
                ["sh", "-c", arguments["command"]], capture_output=True, text=True, check=False
            )
            return done.stdout + done.stderr
        if name == "mcp__podium__report":
            with open(os.environ["PODIUM_VERDICT"], "w") as file:
                json.dump(arguments, file)
            return "reported"
    except OSError as fault:
        return f"failed: {fault}"
    return "no such tool"


class Anthropic:
    path = "/v1/messages"

    def __init__(self, prompt):
        self.messages = [{"role": "user", "content": [{"type": "text", "text": prompt}]}]

    def body(self, stream):
        tools = [{"name": name, "input_schema": each} for name, each in declared().items()]
        told = f"Working directory: {os.getcwd()}"
        return {
            "model": "claude-scripted",
            "system": told,
            "max_tokens": 9,
            "stream": stream,
            "messages": self.messages,
            "tools": tools,
        }

    def take(self, answer):
        self.messages.append({"role": "assistant", "content": answer["content"]})
        calls = [each for each in answer["content"] if each["type"] == "tool_use"]
        results = [
            {"type": "tool_result", "tool_use_id": c["id"], "content": do(c["name"], c["input"])}
            for c in calls
        ]
        self.messages += [{"role": "user", "content": results}] if results else []
        return bool(calls), "".join(
            each["text"] for each in answer["content"] if each["type"] == "text"
        )

    def join(self, events):
        content = []
        for each in events:
            if each["type"] == "content_block_start":
                content.append({**each["content_block"], "parts": ""})
            elif each["type"] == "content_block_delta":
                content[-1]["parts"] += each["delta"].get(
                    "text", each["delta"].get("partial_json", "")
                )
        if not events or events[-1]["type"] != "message_stop":
            raise ConnectionError("the stream was cut")
        for each in content:
            parts = each.pop("parts")
            each.update({"text": parts} if each["type"] == "text" else {"input": json.loads(parts)})
        return {"content": content}


class Chat:
    path = "/chat/completions"

    def __init__(self, prompt):
        self.options = {}
        self.messages = [
            {"role": "system", "content": f"cwd: {os.getcwd()}"},
            {"role": "user", "content": prompt},
        ]

    def body(self, stream):
        tools = [
            {"type": "function", "function": {"name": name, "parameters": each}}
            for name, each in declared().items()
        ]
        return {
            "model": "gpt-scripted",
            "stream": stream,
            "messages": self.messages,
            "tools": tools,
            **self.options,
        }

    def take(self, answer):
        message = answer["choices"][0]["message"]
        self.messages.append(message)
        calls = message.get("tool_calls") or []
        for each in calls:
            said = do(each["function"]["name"], json.loads(each["function"]["arguments"]))
            self.messages.append({"role": "tool", "tool_call_id": each["id"], "content": said})
        return bool(calls), message.get("content") or ""

    def join(self, events):
        text, calls, ended = "", [], False
        for each in events:
            if not each["choices"] and self.options:
                continue
            choice = each["choices"][
                0
            ]  # like many clients: a part without a choice would be its end
            delta = choice["delta"]
            text += delta.get("content") or ""
            ended = ended or bool(choice["finish_reason"])
            for call in delta.get("tool_calls", ()):
                if "id" in call:
                    calls.append(call)
                else:
                    calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
        if not ended:
            raise ConnectionError("the stream was cut")
        return {
            "choices": [{"message": {"role": "assistant", "content": text, "tool_calls": calls}}]
        }


class Responses:
    path = "/responses"

    def __init__(self, prompt):
        self.messages = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}
        ]

    def body(self, stream):
        tools = [
            {"type": "function", "name": name, "parameters": each}
            for name, each in declared().items()
        ]
        told = f"<cwd>{os.getcwd()}</cwd>"
        return {
            "model": "gpt-scripted",
            "instructions": told,
            "stream": stream,
            "input": self.messages,
            "tools": tools,
        }

    def take(self, answer):
        self.messages += answer["output"]
        calls = [each for each in answer["output"] if each["type"] == "function_call"]
        for each in calls:
            said = do(each["name"], json.loads(each["arguments"]))
            self.messages.append(
                {"type": "function_call_output", "call_id": each["call_id"], "output": said}
            )
        texts = [
            each["content"][0]["text"] for each in answer["output"] if each["type"] == "message"
        ]
        return bool(calls), "".join(texts)

    def join(self, events):
        if not events or events[-1]["type"] != "response.completed":
            raise ConnectionError("the stream was cut")
        return events[-1]["response"]


class Gemini:
    def __init__(self, prompt):
        self.messages = [{"role": "user", "parts": [{"text": prompt}]}]
        self.path = ""

    def body(self, stream):
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        self.path = f"/v1beta/models/gemini-scripted:{verb}"
        tools = [{"name": name, "parametersJsonSchema": each} for name, each in declared().items()]
        told = {"parts": [{"text": f"current directory: {os.getcwd()}"}]}
        return {
            "systemInstruction": told,
            "contents": self.messages,
            "tools": [{"functionDeclarations": tools}],
        }

    def take(self, answer):
        parts = answer["candidates"][0]["content"]["parts"]
        self.messages.append({"role": "model", "parts": parts})
        calls = [each["functionCall"] for each in parts if "functionCall" in each]
        said = [
            {
                "functionResponse": {
                    "name": c["name"],
                    "response": {"output": do(c["name"], c["args"])},
                }
            }
            for c in calls
        ]
        self.messages += [{"role": "user", "parts": said}] if said else []
        return bool(calls), "".join(each.get("text", "") for each in parts)

    def join(self, events):
        if not events or not events[-1]["candidates"][0].get("finishReason"):
            raise ConnectionError("the stream was cut")
        parts = [part for each in events for part in each["candidates"][0]["content"]["parts"]]
        return {"candidates": [{"content": {"parts": parts}}]}


SHAPES = {"anthropic": Anthropic, "chat": Chat, "responses": Responses, "gemini": Gemini}
KEYS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}


def ask(shape, talk, base, key, stream):
    body = json.dumps(talk.body(stream)).encode()
    headers = {
        "content-type": "application/json",
        KEYS.get(shape, "authorization"): key if shape in KEYS else f"Bearer {key}",
    }
    request = urllib.request.Request(base + talk.path, body, headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        data = answer.read()
    if not stream:
        return json.loads(data)
    lines = [line[5:].strip() for line in data.decode().splitlines() if line.startswith("data:")]
    return talk.join([json.loads(line) for line in lines if line != "[DONE]"])


def main(shape, base, key, *options):
    base, key = (os.environ[each[4:]] if each.startswith("env:") else each for each in (base, key))
    talk, text = SHAPES[shape](sys.stdin.read()), ""
    if "usage" in options:
        talk.options = {"stream_options": {"include_usage": True}}
    goes_on = True
    while goes_on:
        for left in range(TRIES, 0, -1):
            try:
                answer = ask(shape, talk, base, key, "stream" in options)
                break
            except (
                urllib.error.URLError,
                http.client.HTTPException,
                ConnectionError,
                ValueError,
            ) as fault:
                said = fault.read().decode() if isinstance(fault, urllib.error.HTTPError) else ""
                final = (
                    isinstance(fault, urllib.error.HTTPError)
                    and fault.code < 500
                    and fault.code != 429
                )
                if left == 1 or final:
                    sys.exit(f"the model cannot be asked: {fault} {said}")
                time.sleep(0.01)
        goes_on, text = talk.take(answer)
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
