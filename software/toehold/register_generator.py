# SPDX-License-Identifier: Apache-2.0
"""Makes everything that comes from registers/*.rdl: `toehold registers`.

RTL, C header and documentation by PeakRDL; the Python constants and the package that ties
toe_counters_pkg to the counters' addresses by this file.
"""

import keyword
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toehold.console import console, errors, fail
from toehold.paths import REGISTERS, ROOT, relative

GENERATED = REGISTERS / "generated"
PYTHON = ROOT / "software" / "toehold"


@dataclass(frozen=True)
class RegisterMap:
    """An RDL file of registers/ and where what is made of it goes."""

    name: str
    document: str  # in GENERATED
    python: str  # beside this file
    # A large map has registers around what is read, without which it misses 125 MHz on ECP5, and
    # axil_access_port in front; a small one axil_register_port. PeakRDL's own AXI4-Lite decodes in
    # the clock in which it chooses between reads and writes.
    large: bool

    @property
    def rdl(self) -> Path:
        return REGISTERS / f"{self.name}.rdl"

    @property
    def module(self) -> str:
        return f"{self.name}_registers"


TOEHOLD = RegisterMap("toehold", "registers.md", "register_map.py", large=True)
CHECKSUM_OFFLOAD = RegisterMap(
    "checksum_offload",
    "checksum_offload_registers.md",
    "checksum_offload_map.py",
    large=False,
)
TRAFFIC = RegisterMap("traffic", "traffic_registers.md", "traffic_map.py", large=False)
MAPS = (TOEHOLD, CHECKSUM_OFFLOAD, TRAFFIC)

SPDX = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    ".sv": "// {}\n// {}\n",
    ".h": "// {}\n// {}\n",
    ".py": "# {}\n# {}\n",
    ".md": "<!-- {} -->\n<!-- {} -->\n\n",
}


def elaborate(registers: RegisterMap = TOEHOLD):
    """The elaborated register model of an RDL file."""
    from systemrdl import RDLCompileError, RDLCompiler

    compiler = RDLCompiler()
    try:
        from peakrdl_regblock.udps import ALL_UDPS

        for udp in ALL_UDPS:
            compiler.register_udp(udp)
        compiler.compile_file(str(registers.rdl))
        return compiler.elaborate()
    except RDLCompileError:
        fail(f"{relative(registers.rdl)} does not compile; the messages above say where.")


def _registers(root):
    """Every register: its path below the top as a name, its node, in order of address."""
    from systemrdl.node import RegNode

    top = root.top
    for node in top.descendants(unroll=True, in_post_order=False):
        if isinstance(node, RegNode):
            name = node.get_rel_path(top).replace("[", "_").replace("]", "").replace(".", "_")
            yield name, node


def counter_names(root) -> list[str]:
    """The counters in order of address."""
    return [
        node.inst_name
        for _, node in _registers(root)
        if node.parent.inst_name == "counters" and node.inst_name != "reserved"
    ]


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _counter_package(root) -> str:
    names = counter_names(root)
    entries = ",\n".join(
        f"    Counter{_pascal(name)} = {width}'d{index}"
        for index, name in enumerate(names)
        for width in [(len(names) - 1).bit_length()]
    )
    assignments = "\n".join(
        f"    amount[{index}] = byte_increment_t'(counters.{name});"
        for index, name in enumerate(names)
    )
    drops = "".join("1" if name.startswith("drop_") else "0" for name in reversed(names))
    width = (len(names) - 1).bit_length()
    return f"""
// The counters of toe_counters_pkg by their place in the register map: counter i is at byte 4 * i
// of the counters block.
package toehold_counters_pkg;

  import toe_counters_pkg::*;

  localparam int Counters = {len(names)};
  localparam int CounterIndexWidth = {width};

  typedef enum logic [CounterIndexWidth-1:0] {{
{entries}
  }} counter_e;

  typedef byte_increment_t [Counters-1:0] amounts_t;

  // The increments of one clock, by counter.
  function automatic amounts_t amounts(input toe_counters_t counters);
    amounts_t amount;
{assignments}
    return amount;
  endfunction

  // One where a counter is of frames that were dropped.
  localparam logic [Counters-1:0] CountsDrops = {len(names)}'b{drops};

  // One where a counter can grow by more than 1 in a clock.
  function automatic logic [Counters-1:0] counts_bytes();
    toe_counters_t every_bit;
    amounts_t amount;
    logic [Counters-1:0] result;
    every_bit = '1;
    amount = amounts(every_bit);
    for (int i = 0; i < Counters; i++) result[i] = |amount[i][ByteIncrementWidth-1:1];
    return result;
  endfunction

endpackage
"""


def _python_map(root) -> str:
    """Address, access and fields of each register as plain data."""
    lines = [
        '"""Addresses and fields of the registers, for `toehold.registers`."""',
        "",
        "# name: (address, readable, writable, reset,",
        "#        {field: (low bit, width, reset)}, description)",
        "REGISTERS = {",
    ]
    for name, node in _registers(root):
        if keyword.iskeyword(name):
            fail(f"A register cannot be named {name}.")
        fields = {}
        for field in node.fields():
            reset = field.get_property("reset")
            fields[field.inst_name] = (field.low, field.width, reset if reset is not None else None)
        known = [reset << low for low, _, reset in fields.values() if reset is not None]
        reset = sum(known) if len(known) == len(fields) else None
        text = " ".join((node.get_property("desc") or "").split())
        entry = (
            node.absolute_address,
            node.has_sw_readable,
            node.has_sw_writable,
            reset,
            fields,
            text,
        )
        lines.append(f"    {name!r}: {entry!r},")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _export(registers: RegisterMap, root, folder: Path) -> None:
    from peakrdl_cheader.exporter import CHeaderExporter
    from peakrdl_markdown import MarkdownExporter
    from peakrdl_regblock import RegblockExporter
    from peakrdl_regblock.cpuif.passthrough import PassthroughCpuif

    RegblockExporter().export(
        root,
        str(folder),
        cpuif_cls=PassthroughCpuif,
        module_name=registers.module,
        reuse_hwif_typedefs=False,
        retime_read_fanin=registers.large,
        retime_read_response=registers.large,
    )
    CHeaderExporter().export(
        root,
        str(folder / f"{registers.module}.h"),
        bitfield_order_ltoh=None,
        explode_top=False,
        instantiate=False,
    )
    MarkdownExporter().export(root.top, str(folder / registers.document), rename=None, depth=0)


def _waive(text: str) -> str:
    """PeakRDL's style is not ours: what Verilator's -Wall says about it is waived, file by file."""
    reasons = (
        ("CMPCONST", "a block at the end of the map is compared with the end of the map"),
        ("GENUNNAMED", "its loops have no labels"),
        ("MULTIDRIVEN", "each field of one struct has an always_comb of its own"),
        ("UNUSEDPARAM", "sizes that our wrapper need not know"),
        ("UNUSEDSIGNAL", "protection bits, byte addresses and errors that are not signalled"),
    )
    before = "".join(f"// verilator lint_off {rule}  // {reason}\n" for rule, reason in reasons)
    after = "".join(f"// verilator lint_on {rule}\n" for rule, _ in reasons)
    return f"{before}\n{text.rstrip()}\n\n{after}"


def _hold_address(text: str) -> str:
    """The address of a read stays until its answer (axil_access_port), so it need not be chosen
    between it and a copy: that was half of the longest path of all registers."""
    choice = "assign rd_mux_addr = decoded_req ? decoded_addr : pending_rd_addr;"
    assert choice in text
    start = text.index("    logic [9:0] pending_rd_addr;")
    end = text.index(choice)
    return f"{text[:start]}    assign rd_mux_addr = decoded_addr;{text[end + len(choice) :]}"


def _register_decoding(text: str) -> str:
    """Flip-flops between finding which register a request is for and the registers, which stand
    all over an engine. A clock more is allowed: axil_access_port has one request at a time."""
    begin = text.index("    always_comb begin\n        automatic logic is_valid_addr;")
    end = text.index("    logic external_wr_ack;")
    decoding = text[begin:end].replace(" decoded_reg_strb.", " found_reg_strb.")
    decoding = decoding.replace(" decoded_req_is_external =", " found_is_external =")
    text = text[:begin] + decoding + text[end:]
    declared = "    decoded_reg_strb_t decoded_reg_strb;\n"
    assert text.count(declared) == 1
    further = "    decoded_reg_strb_t found_reg_strb;\n    logic found_is_external;\n"
    text = text.replace(declared, declared + further)
    begin = text.index("    assign decoded_addr = cpuif_addr;\n")
    last = "    assign decoded_wr_biten = cpuif_wr_biten;\n"
    end = text.index(last) + len(last)
    passed = text[begin:end].replace("    assign ", "        ").replace(" = ", " <= ")
    return f"""{text[:begin]}    always_ff @(posedge clk) begin
        decoded_reg_strb <= found_reg_strb;
        decoded_req_is_external <= found_is_external;
{passed}    end
{text[end:]}"""


def _generate(registers: RegisterMap) -> dict[Path, str]:
    """What one map gives."""
    root = elaborate(registers)
    files: dict[Path, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        _export(registers, root, Path(folder))
        for path in sorted(Path(folder).iterdir()):
            files[GENERATED / path.name] = path.read_text()
    if registers is TOEHOLD:
        files[GENERATED / "toehold_counters_pkg.sv"] = _counter_package(root)
    files[PYTHON / registers.python] = _python_map(root)
    if registers.large:
        module = GENERATED / f"{registers.module}.sv"
        files[module] = _register_decoding(_hold_address(files[module]))
    for name in (f"{registers.module}.sv", f"{registers.module}_pkg.sv"):
        files[GENERATED / name] = _waive(files[GENERATED / name])
    origin = f"Generated from registers/{registers.rdl.name} by `make registers`; not edited."
    # Generators leave blanks at the end of lines.
    return {
        path: COMMENTS[path.suffix].format(SPDX, origin)
        + "\n".join(line.rstrip() for line in text.splitlines()).rstrip()
        + "\n"
        for path, text in files.items()
    }


def generate() -> dict[Path, str]:
    """Every generated file and its content."""
    return {path: text for registers in MAPS for path, text in _generate(registers).items()}


def stale() -> list[Path]:
    """The generated files that are not what the RDL file says now."""
    files = generate()
    extra = [path for path in GENERATED.glob("*") if path.is_file() and path not in files]
    wrong = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    return sorted(wrong + extra)


def registers_command(check: bool) -> int:
    if check:
        wrong = stale()
        for path in wrong:
            errors.print(f"{relative(path)} is out of date: run `make registers`.", soft_wrap=True)
        return 1 if wrong else 0
    files = generate()
    GENERATED.mkdir(exist_ok=True)
    for path in GENERATED.glob("*"):
        if path.is_file() and path not in files:
            path.unlink()
    for path, text in files.items():
        changed = not path.exists() or path.read_text() != text
        path.write_text(text)
        console.print(f"{relative(path)} {'written' if changed else 'unchanged'}", soft_wrap=True)
    return 0
