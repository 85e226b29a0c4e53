"""Model files made by hand, byte by byte."""

from __future__ import annotations

import json
from typing import Any

#: A file of format 1, without a hash. It must stay readable.
UNHASHED = (
    b"\xf0\x00\x00\x00\x00\x00\x00\x00"
    b'{"__metadata__":{"lacuna":"{\\"card\\":{\\"data\\":\\"\\\\u00e9\\"},\\"format\\":1,'
    b'\\"kind\\":\\"crf\\",\\"labels\\":[\\"A\\",\\"B\\"]}"},'
    b'"weights":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},'
    b'"words":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}  '
    b"\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\xe0\xbfabc"
)

#: The same model in format 2. It must stay readable, and writing this model must give these bytes.
GOLDEN = (
    b"\x40\x01\x00\x00\x00\x00\x00\x00"
    b'{"__metadata__":{"lacuna":"{\\"card\\":{\\"data\\":\\"\\\\u00e9\\"},\\"format\\":2,'
    b'\\"kind\\":\\"crf\\",\\"labels\\":[\\"A\\",\\"B\\"],\\"sha256\\":'
    b'\\"51bf504c4262f8e1f9abc48f1be402516b5eb4bbb8afbcfdfad21f07a6130e03\\"}"},'
    b'"weights":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},'
    b'"words":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}  '
    b"\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\xe0\xbfabc"
)

OWN: dict[str, Any] = {"format": 1, "kind": "crf"}
U8 = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}


def framed(directory: bytes, buffer: bytes = b"") -> bytes:
    return len(directory).to_bytes(8, "little") + directory + buffer


def file_of(entries: dict[str, Any], buffer: bytes = b"1234", own: Any = OWN) -> bytes:
    metadata = {"lacuna": own if isinstance(own, str) else json.dumps(own)}
    directory = json.dumps({"__metadata__": metadata, **entries}).encode()
    return framed(directory + b" " * (-len(directory) % 8), buffer)
