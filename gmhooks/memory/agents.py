"""Which agent ids may be used: any text that is not blank; it never becomes part of a path."""

from __future__ import annotations

AGENT_ID_BYTES = 4096


def checked_agent_id(agent_id: str) -> str:
    """The agent id unchanged; ValueError when it is blank or longer than 4,096 bytes."""
    if not agent_id.strip():
        raise ValueError("the agent id is blank")
    size = len(agent_id.encode("utf-8", "surrogatepass"))
    if size > AGENT_ID_BYTES:
        raise ValueError(f"the agent id has {size:,} bytes; at most {AGENT_ID_BYTES:,} are allowed")
    return agent_id
