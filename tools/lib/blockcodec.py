"""Block codecs of Avro containers, with the standard library alone where possible.

Compression is deterministic and need not be good: snappy and zstandard are written as stored blocks.
"""

import zlib


class CodecError(Exception):
    pass


def _crc_tail(data):
    return zlib.crc32(data).to_bytes(4, "big")


def snappy_compress(data):
    out = bytearray()
    n = len(data)
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    for at in range(0, len(data), 65536):
        part = data[at : at + 65536]
        size = len(part) - 1
        if size < 60:
            out.append(size << 2)
        else:
            out.append(61 << 2)
            out += size.to_bytes(2, "little")
        out += part
    return bytes(out)


def snappy_decompress(data):
    at = shift = want = 0
    while True:
        if at >= len(data):
            raise CodecError("snappy: length is cut")
        byte = data[at]
        at += 1
        want |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            size = tag >> 2
            if size >= 60:
                width = size - 59
                size = int.from_bytes(data[at : at + width], "little")
                at += width
            size += 1
            if at + size > len(data):
                raise CodecError("snappy: literal is cut")
            out += data[at : at + size]
            at += size
            continue
        if kind == 1:
            size = 4 + (tag >> 2 & 7)
            back = (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            size = 1 + (tag >> 2)
            back = int.from_bytes(data[at : at + width], "little")
            at += width
        if back == 0 or back > len(out):
            raise CodecError("snappy: copy from before the start")
        for _ in range(size):
            out.append(out[-back])
    if len(out) != want:
        raise CodecError("snappy: %d bytes, %d declared" % (len(out), want))
    return bytes(out)


def zstd_compress(data):
    """One frame with its size declared, made of raw blocks."""
    out = bytearray(b"\x28\xb5\x2f\xfd\xa0") + len(data).to_bytes(4, "little")
    step = 128 * 1024
    parts = [data[at : at + step] for at in range(0, len(data), step)] or [b""]
    for i, part in enumerate(parts):
        last = 1 if i == len(parts) - 1 else 0
        out += (last | len(part) << 3).to_bytes(3, "little") + part
    return bytes(out)


def zstd_decompress(data):
    try:
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except ImportError:
        pass
    import ctypes

    try:
        lib = ctypes.CDLL("libzstd.so.1")
    except OSError:
        raise CodecError("zstandard block: neither libzstd.so.1 nor the package python3-zstandard is installed")
    size_t = ctypes.c_size_t
    lib.ZSTD_decompress.restype = size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, size_t, ctypes.c_char_p, size_t]
    room = max(1 << 16, len(data) * 4)
    while room <= 1 << 28:
        out = ctypes.create_string_buffer(room)
        got = lib.ZSTD_decompress(out, room, data, len(data))
        if not lib.ZSTD_isError(size_t(got)):
            return out.raw[:got]
        room *= 4
    raise CodecError("zstandard: block does not decompress")


def compress(codec, data):
    if codec == "null":
        return data
    if codec == "deflate":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(data) + packer.flush()
    if codec == "snappy":
        return snappy_compress(data) + _crc_tail(data)
    if codec == "zstandard":
        return zstd_compress(data)
    if codec == "bzip2":
        import bz2

        return bz2.compress(data)
    if codec == "xz":
        import lzma

        return lzma.compress(data)
    raise CodecError("codec %s is not known" % codec)


def decompress(codec, data):
    if codec == "null":
        return data
    if codec == "deflate":
        try:
            packer = zlib.decompressobj(-15)
            return packer.decompress(data) + packer.flush()
        except zlib.error as e:
            raise CodecError("deflate: %s" % e)
    if codec == "snappy":
        out = snappy_decompress(data[:-4])
        if _crc_tail(out) != data[-4:]:
            raise CodecError("snappy: checksum differs")
        return out
    if codec == "zstandard":
        return zstd_decompress(data)
    if codec == "bzip2":
        import bz2

        return bz2.decompress(data)
    if codec == "xz":
        import lzma

        return lzma.decompress(data)
    raise CodecError("codec %s is not known" % codec)
