# SPDX-License-Identifier: Apache-2.0
"""Makes inputs for a pair of readers: mutations of known inputs, by whole tokens or whole values."""
import copy
import json
import random
import re

import expressions
import messages
import schemas

POOL_MAX = 2000  # inputs that mutations start from
KEPT_BYTES_MAX = 4096
BYTES_MAX = 64 << 10
VALUES_MAX = 500  # known for each name
# Bytes that readers treat in a special way, or often forget.
BYTES = [b"\0", b"\t", b"\n", b"\r\n", b"\r", b" ", b"\x7f", b"\x80", b"\xc3\xa9", b"\xed\xa0\x80",
         b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xff"]


class Generator:
    """Yields inputs for ever. The same seed and the same calls of keep() yield the same inputs."""

    def __init__(self, pair, seed):
        self.random = random.Random(f"{pair.name} {seed}")
        self.split = re.compile(pair.tokens, re.S)
        self.words = [word.encode() for word in pair.words]
        self.pool = list(pair.corpus)
        self.trees = Trees(self.random, pair.corpus) if pair.trees else None
        self.documents = Trees(self.random, []) if pair.documents else None
        self.messages = messages.Messages(self.random) if pair.messages else None
        self.schemas = schemas.Schemas(self.random) if pair.schemas else None
        self.expressions = expressions.Expressions(self.random) if pair.expressions else None

    def keep(self, text):
        """Starts later mutations from this input too."""
        if len(text) > KEPT_BYTES_MAX:
            return
        if len(self.pool) < POOL_MAX:
            self.pool.append(text)
        else:  # the corpus stays
            self.pool[self.random.randrange(POOL_MAX // 2, POOL_MAX)] = text

    def batch(self, count):
        return [self.next() for _ in range(count)]

    def next(self):
        if self.trees and self.random.random() < 0.5:
            return self.trees.next()
        if self.expressions and self.random.random() < 0.8:
            return self.expressions.next()
        if self.schemas:
            return self.schemas.next()
        if self.messages:
            return self.messages.next(self.random.choice(self.pool))
        if self.documents and self.random.random() < 0.9:
            return self.documents.changed(self.random.choice(self.pool))
        tokens = self.tokens(self.random.choice(self.pool))
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 5))):
            tokens = self.mutated(tokens)
        return b"".join(tokens)[:BYTES_MAX]

    def tokens(self, text):
        """Splits the input. Every byte is in one of the tokens."""
        return [token.encode("latin-1") for token in self.split.findall(text.decode("latin-1"))]

    def word(self):
        if self.words and self.random.random() < 0.8:
            return self.random.choice(self.words)
        return self.random.choice(BYTES)

    def mutated(self, tokens):
        pick = self.random.random()
        at = self.random.randrange(len(tokens) + 1)
        end = min(len(tokens), at + self.random.choice((1, 1, 1, 2, 4, 8)))
        if pick < 0.20:
            return tokens[:at] + [self.word()] + tokens[at:]
        if pick < 0.40:
            return tokens[:at] + [self.word()] + tokens[at + 1:]
        if pick < 0.55:
            return tokens[:at] + tokens[end:]
        if pick < 0.65:
            return tokens[:end] + tokens[at:end] * self.random.choice((1, 1, 2, 20)) + tokens[end:]
        if pick < 0.75:  # moves a part
            rest = tokens[:at] + tokens[end:]
            to = self.random.randrange(len(rest) + 1)
            return rest[:to] + tokens[at:end] + rest[to:]
        if pick < 0.90:  # a part of another input
            other = self.tokens(self.random.choice(self.pool))
            start = self.random.randrange(len(other) + 1)
            part = other[start:start + self.random.choice((1, 2, 4, 8, 100))]
            return tokens[:at] + part + tokens[end if self.random.random() < 0.5 else at:]
        return self.with_other_byte(tokens, at)

    def with_other_byte(self, tokens, at):
        if at == len(tokens) or not tokens[at]:
            return tokens + [self.word()]
        token = bytearray(tokens[at])
        where = self.random.randrange(len(token))
        if self.random.random() < 0.5:
            token[where] ^= 1 << self.random.randrange(8)
        else:
            token[where:where + 1] = self.random.choice(BYTES)
        return tokens[:at] + [bytes(token)] + tokens[at + 1:]


class Trees:
    """Makes inputs of a first word and parts that are JSON. Most of them are valid.

    A part is one of the corpus with the same word, or a variation of the part before it. Values are removed,
    replaced and moved. A new value is empty, or one that a member with the same name has in the corpus.
    """

    def __init__(self, generator, corpus):
        self.random = generator
        self.parts = {}   # by the first word
        self.values = {}  # by the name of the member
        for text in corpus:
            word, *parts = text.split(b"\0")
            for part in filter(None, parts):
                try:
                    tree = json.loads(part)
                except (ValueError, UnicodeDecodeError):
                    continue
                self.parts.setdefault(word, []).append(tree)
                self.learn(tree)
        self.parts = {word: parts for word, parts in self.parts.items() if len(parts) > 1}

    def learn(self, tree):
        for owner, key in places(tree):
            if isinstance(owner, dict):
                known = self.values.setdefault(key, [])
                if len(known) < VALUES_MAX:
                    known.append(owner[key])

    def changed(self, text):
        """Returns a variation of a JSON document; the text itself if it is none."""
        try:
            tree = json.loads(text)
        except (ValueError, UnicodeDecodeError):
            return text
        self.learn(copy.deepcopy(tree))
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.change(tree)
        return json.dumps(tree, separators=(",", ":")).encode()

    def next(self):
        word = self.random.choice(sorted(self.parts))
        parts = []
        for _ in range(3):
            if parts and self.random.random() < 0.15:
                parts.append(None)
                continue
            known = [part for part in parts if part is not None]
            new = not known or self.random.random() < 0.4
            part = copy.deepcopy(self.random.choice(self.parts[word] if new else known))
            for _ in range(self.random.choice((0, 1, 1, 2, 3))):
                self.change(part)
            parts.append(part)
        texts = [b"" if part is None else json.dumps(part, separators=(",", ":")).encode() for part in parts]
        return b"\0".join([word, *texts])

    def change(self, tree):
        """Changes one value of the tree."""
        everywhere = list(places(tree))
        if not everywhere:
            return
        owner, key = self.random.choice(everywhere)
        pick = self.random.random()
        if pick < 0.25:
            del owner[key]
        elif pick < 0.45:
            owner[key] = self.random.choice((None, {}, []))
        elif isinstance(owner, list) and pick < 0.65:
            self.random.shuffle(owner)
        elif isinstance(owner, list) and pick < 0.75:
            owner.append(copy.deepcopy(owner[key]))
        elif isinstance(owner, dict) and pick < 0.50:  # another member with the value of one like it
            name = self.random.choice(sorted(self.values))
            owner[name] = copy.deepcopy(self.random.choice(self.values[name]))
        elif isinstance(owner[key], dict) and pick < 0.80:  # more members
            other = self.random.choice(self.values.get(key) or [{}])
            owner[key].update(copy.deepcopy(other) if isinstance(other, dict) else {})
        elif isinstance(owner[key], list) and pick < 0.80:
            other = self.random.choice(self.values.get(key) or [[]])
            owner[key].extend(copy.deepcopy(other) if isinstance(other, list) else [])
        elif key in self.values and pick < 0.95:
            owner[key] = copy.deepcopy(self.random.choice(self.values[key]))
        else:
            owner[key] = self.random.choice(("", "a", "b", 0, 1, 1.0, 1.5, True, False, "1"))


def places(tree):
    """Yields (owner, key) of each value in the tree."""
    if isinstance(tree, (dict, list)):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from places(tree[key])
