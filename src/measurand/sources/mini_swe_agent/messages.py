"""Messages of mini-SWE-agent: chat completions, the Responses API, or text with one block of shell code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.sources.reading.chat_trace import Call, Said, content_text, known, openai_message
from measurand.sources.reading.litellm_usage import usage_of_call
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator

    from measurand.sources.atif.source import Usage

__all__ = ["is_answer", "is_call", "said_in", "submits", "times_of", "usage_in"]

_BLOCK: Final = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n```", re.DOTALL)
_SUBMIT: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_SHELL: Final = "bash"


def is_answer(message: dict[str, Any]) -> bool:
    """Whether the model wrote it."""
    return message.get("role") == "assistant" or message.get("object") == "response"


def is_call(message: dict[str, Any]) -> bool:
    """Whether it took a call of the model: an answer, or what the scaffold says of one that it could not use."""
    return is_answer(message) or bool(_response(message))


def usage_in(message: dict[str, Any]) -> Usage | None:
    """Tokens of a call."""
    return usage_of_call(_response(message).get("usage"))


def _response(message: dict[str, Any]) -> dict[str, Any]:
    if message.get("object") == "response":
        return message
    return object_of(object_of(message.get("extra")).get("response"))


def submits(messages: list[dict[str, Any]]) -> bool:
    """Whether the last answer hands in the result."""
    last: dict[str, Any] = next((one for one in reversed(messages) if is_answer(one)), {})
    commands = [str(call.arguments) for call in _calls(last)]
    return any(word in command for command in commands for word in _SUBMIT)


def times_of(messages: Iterable[dict[str, Any]]) -> list[dt.datetime]:
    """Times of the messages in their order; the first is when the model began its first answer, where that is known."""
    found: list[dt.datetime] = []
    for message in messages:
        at = _recorded(message)
        began = _began(message) if not found or at is None else None
        found += [known_time for known_time in (began, at) if known_time]
    return found


def _recorded(message: dict[str, Any]) -> dt.datetime | None:
    return time(object_of(message.get("extra")).get("timestamp"))


def _began(message: dict[str, Any]) -> dt.datetime | None:
    """When the provider began an answer, in whole seconds."""
    response = _response(message)
    return time(response.get("created")) or time(response.get("created_at"))


def said_in(messages: Iterable[dict[str, Any]]) -> Iterator[Said]:
    """Yield the messages as what they mean: what follows a command is what it printed."""
    waiting = False
    for message in messages:
        at = _recorded(message) or _began(message)
        if is_call(message) and not is_answer(message):
            yield Said("assistant", _refused(message), t=at, more=_of_the_model(message))
        if is_answer(message):
            said = Said("assistant", _text(message), _calls(message), t=at, more=_of_the_model(message))
            waiting = any(call.id is None for call in said.calls)
            yield said
            continue
        said = _observed(message)
        if waiting and said.role == "user":
            said, waiting = said._replace(role="tool"), False
        yield said._replace(t=at)


def _refused(message: dict[str, Any]) -> str | None:
    """Text of an answer that the scaffold could not use."""
    response = _response(message)
    choice = next((object_of(one) for one in list_of(response.get("choices"))), {})
    return content_text(object_of(choice.get("message")).get("content")) or _output_text(response)


def _observed(message: dict[str, Any]) -> Said:
    extra = object_of(message.get("extra"))
    error = text(extra.get("exception_info"))
    if message.get("type") == "function_call_output":
        output = message.get("output")
        shown = output if isinstance(output, str) else content_text(output)
        return Said("tool", shown, answers=text(message.get("call_id")), error=error)
    return openai_message(message)._replace(calls=(), error=error)


def _text(message: dict[str, Any]) -> str | None:
    if message.get("object") != "response":
        return content_text(message.get("content"))
    return _output_text(message)


def _output_text(response: dict[str, Any]) -> str | None:
    parts = [object_of(item) for item in list_of(response.get("output"))]
    texts = [content_text(part.get("content")) for part in parts if part.get("type") == "message"]
    return "\n".join(one for one in texts if one) or None


def _calls(message: dict[str, Any]) -> tuple[Call, ...]:
    """Calls of tools; else the commands that the scaffold took from the text; else the block of shell code in it."""
    if message.get("object") == "response":
        items = [object_of(item) for item in list_of(message.get("output"))]
        return tuple(
            Call(text(item.get("call_id")), text(item.get("name")), item.get("arguments"))
            for item in items
            if item.get("type") == "function_call"
        )
    if calls := openai_message(message).calls:
        return calls
    actions = [object_of(action) for action in list_of(object_of(message.get("extra")).get("actions"))]
    commands = [command for action in actions if isinstance(command := action.get("command"), str)]
    blocks = commands or _BLOCK.findall(content_text(message.get("content")) or "")
    if not commands and len(blocks) != 1:
        return ()
    return tuple(Call(None, _SHELL, {"command": block}) for block in blocks)


def _of_the_model(message: dict[str, Any]) -> dict[str, Any]:
    response = _response(message)
    used = usage_in(message)
    choice = next((object_of(one) for one in list_of(response.get("choices"))), {})
    return known(
        {
            "id": text(response.get("id")),
            "model": text(response.get("model")),
            "input_tokens": used and used.input_tokens,
            "cached_tokens": used and used.cached_tokens,
            "cache_write_tokens": used and used.cache_write_tokens,
            "output_tokens": used and used.output_tokens,
            "reasoning_tokens": used and used.reasoning_tokens,
            "cost_usd": number(object_of(message.get("extra")).get("cost")),
            "stop_reason": text(choice.get("finish_reason")) or text(response.get("status")),
        }
    )
