"""Verifies a webhook in Python 3 (no packages). Try it: SECRET=… SIGNATURE=… python3 verify.py < body"""

import hashlib
import hmac
import os
import sys


def is_from_payment_service(secret: str, body: bytes, *signatures: "str | None") -> bool:
    """`body` is the request's raw bytes (Flask: request.get_data(), Django: request.body).

    `signatures` are X-Service-Signature and, when present, X-Service-Signature-Previous.
    """
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
    return any(hmac.compare_digest(expected, (given or "").encode()) for given in signatures)


if __name__ == "__main__":
    genuine = is_from_payment_service(
        os.environ["SECRET"], sys.stdin.buffer.read(), os.environ["SIGNATURE"]
    )
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
