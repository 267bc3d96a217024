"""How a receiver knows that a webhook is from Podium and fresh: HMAC-SHA256 over
`timestamp.body`.
"""

from __future__ import annotations

import hashlib
import hmac

TIMESTAMP = "Podium-Timestamp"
SIGNATURE = "Podium-Signature"
DELIVERY = "Podium-Delivery"
VERSION = "v1"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """`v1=` and the hexadecimal code."""
    code = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"{VERSION}={code.hexdigest()}"
