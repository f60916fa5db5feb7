# SPDX-License-Identifier: Apache-2.0
"""What is generated from toehold.rdl, and the access to registers by name."""

import subprocess

import pytest

from toehold import register_generator
from toehold.paths import REGISTERS, relative
from toehold.register_map import REGISTERS as MAP
from toehold.registers import NoSuchRegister, Registers, difference


def test_nothing_is_out_of_date():
    assert [relative(path) for path in register_generator.stale()] == [], "run `make registers`"


def test_stale_files_are_noticed(monkeypatch, tmp_path):
    """A changed file, a missing one, and one that nobody generates any more."""
    files = register_generator.generate()
    monkeypatch.setattr(register_generator, "GENERATED", tmp_path)
    monkeypatch.setattr(register_generator, "generate", lambda: content)
    content = {tmp_path / path.name: text for path, text in files.items()}
    for path, text in content.items():
        path.write_text(text)
    assert register_generator.stale() == []
    header, module, extra = (
        tmp_path / n for n in ("toehold_registers.h", "toehold_registers.sv", "x")
    )
    header.write_text(header.read_text() + "\n")
    module.unlink()
    extra.touch()
    assert register_generator.stale() == [header, module, extra]
    assert register_generator.registers_command(check=True) == 1
    register_generator.registers_command(check=False)
    assert register_generator.stale() == []
    assert not extra.exists()


def test_addresses_are_words_and_unique():
    addresses = [entry[0] for entry in MAP.values()]
    assert len(set(addresses)) == len(addresses)
    assert all(address % 4 == 0 for address in addresses)


def test_c_header_agrees_with_the_python_map(tmp_path):
    """The same offsets and reset values, asked of the compiler."""
    offsets = {
        "counters.drop_ip_checksum": "counters_drop_ip_checksum",
        "network.gateway": "network_gateway",
        "tcp.isn_secret[3]": "tcp_isn_secret_3",
        "states.listen": "states_listen",
    }
    checks = "\n".join(
        f'_Static_assert(offsetof(toehold_t, {member}) == {MAP[name][0]}, "{name}");'
        for member, name in offsets.items()
    )
    program = tmp_path / "check.c"
    program.write_text(
        '#include <stddef.h>\n#include "toehold_registers.h"\n'
        f"{checks}\n"
        "_Static_assert(TOEHOLD__IDENTITY__MAGIC__VALUE_reset == "
        f'{MAP["identity_magic"][3]}, "magic");\n'
    )
    done = subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only"]
        + [f"-I{REGISTERS / 'generated'}", str(program)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def memory():
    return {}


@pytest.fixture
def registers(memory):
    return Registers(lambda address: memory.get(address, 0), memory.__setitem__, base=0x1000)


def test_by_name_and_field(registers, memory):
    registers["network_arp_ageing_seconds"] = 60
    assert memory == {0x1000 + MAP["network_arp_ageing_seconds"][0]: 60}
    registers["tcp_retries"] = 0x0805
    registers.set_field("tcp_retries", "data", 2)
    assert registers["tcp_retries"] == 0x0205
    assert registers.field("tcp_retries", "syn") == 5


def test_what_cannot_be(registers):
    with pytest.raises(NoSuchRegister):
        registers["tcp_nothing"]
    with pytest.raises(NoSuchRegister):
        registers.field("tcp_retries", "nothing")
    with pytest.raises(PermissionError):
        registers["tcp_isn_secret_0"]
    with pytest.raises(PermissionError):
        registers["identity_magic"] = 1
    with pytest.raises(ValueError):
        registers["network_gateway"] = 1 << 32
    with pytest.raises(ValueError):
        registers.set_field("tcp_retries", "syn", 16)
    with pytest.raises(ValueError):
        registers.set_addresses(mac="02:00")
    with pytest.raises(ValueError):
        registers.set_secrets(b"short", b"12345678")
    with pytest.raises(LookupError, match="magic is 0x00000000"):
        registers.identify()


def test_difference_across_a_wrap():
    assert difference({"a": 5, "b": 3}, {"a": 0xFFFF_FFFE, "b": 3}) == {"a": 7, "b": 0}
