# SPDX-License-Identifier: Apache-2.0
"""SipHash-2-4 in Python, after its definition (Aumasson and Bernstein, 2012, section 2)."""

MASK = (1 << 64) - 1


def _rotate_left(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & MASK


def _round(v: list[int]) -> None:
    v[0] = (v[0] + v[1]) & MASK
    v[2] = (v[2] + v[3]) & MASK
    v[1] = _rotate_left(v[1], 13) ^ v[0]
    v[3] = _rotate_left(v[3], 16) ^ v[2]
    v[0] = _rotate_left(v[0], 32)
    v[2] = (v[2] + v[1]) & MASK
    v[0] = (v[0] + v[3]) & MASK
    v[1] = _rotate_left(v[1], 17) ^ v[2]
    v[3] = _rotate_left(v[3], 21) ^ v[0]
    v[2] = _rotate_left(v[2], 32)


def siphash(key: bytes, message: bytes) -> int:
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    initial = b"somepseudorandomlygeneratedbytes"
    words = [int.from_bytes(initial[i : i + 8], "big") for i in range(0, 32, 8)]
    v = [word ^ k for word, k in zip(words, (k0, k1, k0, k1), strict=True)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        _round(v)
        _round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        _round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# Of the paper's appendix A and of its authors' test vectors: key 00 to 0f, message 00, 01, 02 ...
# by length, the bytes of the hash in order.
VECTOR_KEY = bytes(range(16))
VECTORS = {
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    7: "37d1018bf50002ab",
    8: "6224939a79f5f593",
    12: "fbe50e86bc8f1e75",
    15: "e545be4961ca29a1",
}
