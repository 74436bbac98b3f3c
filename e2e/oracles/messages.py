# SPDX-License-Identifier: Apache-2.0
"""Makes inputs of protobuf: objects that Go encodes, with changes of whole fields and of single bytes."""
import os
import re

TABLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "clientgo", "runtime", "protobuf",
                     "api_types.inc")
VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = range(6)
PREFIX = b"k8s\0"
RAW = 2           # the field of the envelope with the object
NUMBER_MAX = 400  # a message of the API has no greater number, so other bytes are no message
DEPTH_MAX = 60
INTEGERS = (0, 1, 2, 127, 128, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
TEXTS = (b"", b"a", b"0", b"1Ki", b"{}", b"null", b'{"a":1}', b"[1", b"2026-01-02T03:04:05Z", b"\xff", b"\xed\xa0\x80",
         b"\xc3\xa9", b"\x08\x01", b"\x0a\x00", b"\x80\x80\x01", b'"\\', b"\0", b"x" * 200, b"<&>\xe2\x80\xa8")


def kinds():
    """Returns (apiVersion, kind) of each kind of the table."""
    found, version = [], ""
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if package := re.match(r'\{"\w+\.(\w+)", "([\w.-]*)",', line):
                version = f"{package[2]}/{package[1]}" if package[2] else package[1]
            elif kind := re.match(r' *"(\w+)[:;]', line):
                found.append((version, kind[1]))
    return found


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(0x80 | value & 0x7f)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise IndexError


def fields(data, number_max=NUMBER_MAX, depth=0, exact=True):
    """Returns the fields of a message as lists [number, type, value]; None if the bytes are none.

    The value of BYTES is a list of fields if the bytes look like a message. exact: only bytes that encoded()
    returns again.
    """
    found, at = [], 0
    try:
        while at < len(data):
            tag, at = read_varint(data, at)
            number, kind = tag >> 3, tag & 7
            if not 0 < number <= number_max:
                return None
            if kind == VARINT:
                value, at = read_varint(data, at)
            elif kind in (FIXED64, FIXED32):
                size = 8 if kind == FIXED64 else 4
                value, at = data[at:at + size], at + size
            elif kind == BYTES:
                size, at = read_varint(data, at)
                value, at = data[at:at + size], at + size
            elif exact:
                return None
            else:  # the content of a group counts for the message
                value = None
            if at > len(data):
                return None
            if kind == BYTES and value and depth < DEPTH_MAX:
                value = fields(value, number_max, depth + 1, exact) or value
            found.append([number, kind, value])
    except IndexError:
        return None
    return found if not exact or encoded(found) == data else None


def encoded(message):
    return b"".join(encoded_field(*field) for field in message)


def encoded_field(number, kind, value):
    tag = varint(number << 3 | kind)
    if kind == VARINT:
        return tag + varint(value)
    if kind == BYTES:
        content = encoded(value) if isinstance(value, list) else value
        return tag + varint(len(content)) + content
    if kind == GROUP:
        return tag + encoded(value) + varint(number << 3 | END_GROUP)
    return tag + value


def messages(message):
    """Yields the message and all messages in it."""
    yield message
    for _, kind, value in message:
        if kind == BYTES and isinstance(value, list):
            yield from messages(value)


def copied(message):
    return [[number, kind, copied(value) if isinstance(value, list) else value] for number, kind, value in message]


class Messages:
    """Makes changed messages from those of a pool."""

    def __init__(self, random):
        self.random = random
        self.values = {}  # (kind, value) by the number of the field

    def learn(self, message):
        for inner in messages(message):
            for number, kind, value in inner:
                known = self.values.setdefault(number, [])
                if len(known) < 500:
                    known.append((kind, value))

    def next(self, text):
        """Returns a variation of the input."""
        envelope = fields(text[len(PREFIX):])
        if envelope is None:
            return self.with_other_bytes(text)
        envelope = copied(envelope)
        object_of = [value for number, _, value in envelope if number == RAW and isinstance(value, list)]
        if object_of and len(text) < 20000:
            self.learn(object_of[0])
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            everywhere = list(messages(object_of[0] if object_of and self.random.random() < 0.97 else envelope))
            self.change(self.random.choice(everywhere))
        changed = PREFIX + encoded(envelope)
        return changed if self.random.random() < 0.9 else self.with_other_bytes(changed)

    def change(self, message):
        """Changes one message."""
        pick = self.random.random()
        at = self.random.randrange(len(message)) if message else 0
        if not message or pick < 0.15:
            message.insert(self.random.randrange(len(message) + 1), self.new_field())
        elif pick < 0.30:
            del message[at]
        elif pick < 0.45:  # the same field again, with this or another value
            number, kind, value = message[at]
            if self.random.random() < 0.5:
                kind, value = self.value_for(number)
            message.insert(self.random.randrange(len(message) + 1), [number, kind, copied_value(value)])
        elif pick < 0.55:
            self.random.shuffle(message)
        elif pick < 0.75:
            message[at][1:] = map(copied_value, self.value_for(message[at][0]))
        elif pick < 0.85:
            message[at][0] = self.random.choice((message[at][0] + 1, max(1, message[at][0] - 1),
                                                 self.random.randrange(1, 40)))
        elif pick < 0.93:
            message[at] = [message[at][0], *self.any_value()]
        elif isinstance(message[at][2], list):
            self.change(message[at][2])
        else:
            message[at] = self.packed(message[at][0])

    def new_field(self):
        number = self.random.choice((1, 2, 3, 4, 5, 8, 16, 999, 1 << 28))
        if self.random.random() < 0.2:
            return [number, GROUP, [[1, VARINT, 5], [2, GROUP, [[3, BYTES, b"x"]]]][:self.random.randrange(3)]]
        return [number, *map(copied_value, self.value_for(number))]

    def packed(self, number):
        integers = [self.random.choice(INTEGERS) for _ in range(self.random.randrange(4))]
        return [number, BYTES, b"".join(map(varint, integers))]

    def value_for(self, number):
        """Returns (kind, value) as a field with this number has elsewhere, or any."""
        known = self.values.get(number)
        return self.random.choice(known) if known and self.random.random() < 0.8 else self.any_value()

    def any_value(self):
        pick = self.random.randrange(8)
        if pick == 0:
            return FIXED64, self.random.choice((b"\0" * 8, b"\0" * 6 + b"\xf0\x3f", b"\xff" * 8))
        if pick == 1:
            return FIXED32, b"\1\0\0\0"
        if pick < 5:
            return VARINT, self.random.choice(INTEGERS)
        return BYTES, self.random.choice(TEXTS)

    def with_other_bytes(self, text):
        data = bytearray(text)
        at = self.random.randrange(len(data) + 1)
        pick = self.random.random()
        if pick < 0.3:
            del data[at:]
        elif pick < 0.5:
            del data[at:at + 1]
        elif pick < 0.7:
            data.insert(at, self.random.choice((0, 1, 0x0a, 0x12, 0x7f, 0x80, 0xff)))
        elif at < len(data):
            data[at] ^= 1 << self.random.randrange(8)
        return bytes(data)


def copied_value(value):
    return copied(value) if isinstance(value, list) else value
