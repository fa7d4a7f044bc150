# SPDX-License-Identifier: MIT
"""Read sections and dynamic symbols of a 64-bit little-endian ELF file."""
import mmap
import struct


class Elf:
    """One mapped ELF file; `sections` maps a name to (type, offset, size, link, info)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
        table, = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        rows = [struct.unpack_from("<IIQQQQII", self.data, table + i * size) for i in range(count)]
        self.order = [(row[1], row[4], row[5], row[6], row[7]) for row in rows]
        base = rows[names][4]
        self.sections = {self.text(base + row[0]): self.order[i] for i, row in enumerate(rows)}

    def text(self, offset):
        """The zero-terminated string at a file offset."""
        return self.data[offset : self.data.find(b"\0", offset)].decode()

    def needed(self):
        """SONAMEs of the DT_NEEDED entries, in order."""
        _, offset, size, link, _ = self.sections[".dynamic"]
        strings = self.order[link][1]
        entries = struct.iter_unpack("<qQ", self.data[offset : offset + size])
        return [self.text(strings + value) for tag, value in entries if tag == 1]

    def versions(self):
        """Version index -> (version name, owner's SONAME) from the needed-versions section."""
        if ".gnu.version_r" not in self.sections:
            return {}
        _, at, _, link, count = self.sections[".gnu.version_r"]
        strings, found = self.order[link][1], {}
        for _ in range(count):
            _, uses, owner, aux, step = struct.unpack_from("<HHIII", self.data, at)
            use = at + aux
            for _ in range(uses):
                _, _, index, name, hop = struct.unpack_from("<IHHII", self.data, use)
                found[index] = (self.text(strings + name), self.text(strings + owner))
                use += hop
            at += step
        return found

    def symbols(self, table=".dynsym"):
        """Yield (name, type, defined, (version, owner) or None, size) of every visible symbol."""
        _, offset, size, link, _ = self.sections[table]
        strings, versions = self.order[link][1], self.versions()
        index = self.sections.get(".gnu.version") if table == ".dynsym" else None
        for i, row in enumerate(struct.iter_unpack("<IBBHQQ", self.data[offset : offset + size])):
            name, info, other, section, _, length = row
            if info >> 4 == 0 or other & 3:
                continue  # local, or not for other libraries
            version = None
            if index:
                number, = struct.unpack_from("<H", self.data, index[1] + 2 * i)
                version = versions.get(number & 0x7FFF)
            yield self.text(strings + name), info & 15, section != 0, version, length
