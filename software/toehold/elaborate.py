# SPDX-License-Identifier: Apache-2.0
"""Ports and parameters of a module as slang elaborates it, and wrappers written from them."""

import math
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toehold import yosys
from toehold.console import fail
from toehold.options import Preset

# Inputs that stay what they are in a wrapper: everything else is data.
CLOCKS = ("clk",)
RESETS = ("rst",)


@dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    element_bits: int
    # Bounds of unpacked dimensions, outermost first; none for most ports.
    dimensions: tuple[tuple[int, int], ...] = ()
    # The type of an enum: bits do not become one by themselves.
    enum: str = ""

    @property
    def bits(self) -> int:
        return self.element_bits * math.prod(abs(a - b) + 1 for a, b in self.dimensions)

    @property
    def is_clock(self) -> bool:
        return self.is_input and (self.name in CLOCKS or self.name.endswith("_clk"))

    @property
    def is_reset(self) -> bool:
        return self.is_input and (self.name in RESETS or self.name.endswith("_rst"))

    def declaration(self) -> str:
        """A variable that fits the port."""
        unpacked = "".join(f"[{a}:{b}]" for a, b in self.dimensions)
        return f"{self.enum or f'logic [{self.element_bits - 1}:0]'} {self.name}{unpacked};"

    def cast(self, bits: str) -> str:
        """Bits as a value of the port's type."""
        return f"{self.enum}'({bits})" if self.enum else bits

    def slices(self) -> Iterator[tuple[str, int]]:
        """Each element of the port, and the bit at which it begins in one flat vector."""
        indices = [""]
        for a, b in self.dimensions:
            indices = [f"{i}[{k}]" for i in indices for k in range(min(a, b), max(a, b) + 1)]
        for number, index in enumerate(indices):
            yield f"{self.name}{index}", number * self.element_bits


@dataclass(frozen=True)
class Block:
    """A module with values for its parameters, elaborated."""

    top: str
    files: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    parameters: tuple[tuple[str, str], ...]
    ports: tuple[Port, ...]
    defines: tuple[tuple[str, str], ...] = ()

    def read(self, top: str, wrapper: Path) -> str:
        """The command with which Yosys reads the block in a wrapper."""
        return yosys.read_slang(
            top, [*self.files, wrapper], self.include_dirs, defines=dict(self.defines)
        )

    def instance(self, name: str) -> str:
        parameters = ", ".join(f".{key}({value})" for key, value in self.parameters)
        connections = ", ".join(f".{port.name}({port.name})" for port in self.ports)
        return f"{self.top} {f'#({parameters}) ' if parameters else ''}{name} ({connections});"


def _compile(
    top: str,
    text: str,
    files: list[Path],
    include_dirs: list[Path],
    defines: Mapping[str, str] | None = None,
):
    """A compilation of the files and a wrapper; slang's own messages go to standard error."""
    from pyslang import driver

    with tempfile.NamedTemporaryFile("w", suffix=".sv") as wrapper:
        wrapper.write(text)
        wrapper.flush()
        command = driver.Driver()
        command.addStandardArgs()
        words = ["slang", "--top", top, "-Wnone", *(f"-I{folder}" for folder in include_dirs)]
        words += [f"-D{name}={value}" for name, value in (defines or {}).items()]
        words += [*map(str, files), wrapper.name]
        arguments = " ".join(f'"{word}"' for word in words)
        if not (
            command.parseCommandLine(arguments)
            and command.processOptions()
            and command.parseAllSources()
        ):
            fail(f"{top} cannot be read; the messages above say why.")
        compilation = command.createCompilation()
    return command, compilation


def _instance(top: str, parameters: dict[str, str], files, include_dirs, defines=None):
    values = ", ".join(f".{name}({value})" for name, value in parameters.items())
    text = f"module toehold_shell; {top} {f'#({values})' if values else ''} block (); endmodule\n"
    command, compilation = _compile("toehold_shell", text, files, include_dirs, defines)
    instance = compilation.getRoot().topInstances[0].body.find("block")
    if instance is None or type(instance).__name__ != "InstanceSymbol":
        fail(f"There is no module {top!r} in its files.")
    return command, compilation, instance


def preset_constant(preset: str) -> str:
    """The preset's name in toe_config_pkg."""
    return "Preset" + "".join(part.capitalize() for part in preset.split("-"))


def config_constant(preset: str) -> str:
    """The preset's configuration in toe_config_pkg."""
    return preset_constant(preset).removeprefix("Preset") + "Config"


def configuration(
    preset: str,
    width: int,
    settings: dict[str, str],
    files: list[Path],
    include_dirs: list[Path],
) -> str:
    """The preset's configuration at this width, with some of its fields given."""
    names = struct_fields("toe_config_pkg", "toe_config_t", files, include_dirs)
    for name in settings:
        if name not in names:
            fail(f"The configuration has no {name!r}; it has: {', '.join(names)}.", status=2)
    base = config_constant(preset)
    values = {name: f"toe_config_pkg::{base}.{name}" for name in names}
    values |= {"DataWidth": str(width)} | settings
    fields = ", ".join(f"{name}: {value}" for name, value in values.items())
    return f"toe_config_pkg::toe_config_t'{{{fields}}}"


def elaborate(
    top: str,
    files: list[Path],
    include_dirs: list[Path],
    preset: str = Preset.small.value,
    width: int | None = None,
    parameters: dict[str, str] | None = None,
    settings: dict[str, str] | None = None,
    defines: Mapping[str, str] | None = None,
) -> Block:
    """The block with the preset and width, as far as it has parameters for them; `settings` are
    fields of the preset that are to have another value, `defines` macros."""
    wanted = dict(parameters or {})
    _, _, bare = _instance(top, {}, files, include_dirs)
    known = {
        p.name: str(getattr(p, "type", "")) for p in bare.body.parameters if not p.isLocalParam
    }
    for name in wanted:
        if name not in known:
            names = ", ".join(known) or "none"
            fail(f"{top} has no parameter {name!r}; it has: {names}.")
    number = f"int'(toe_config_pkg::{preset_constant(preset)})"
    if settings:
        if not known.get("Config", "").endswith("toe_config_t"):
            fail(f"{top} takes no configuration, so there is nothing to set in it.", status=2)
        wanted["Config"] = configuration(preset, width or 64, settings, files, include_dirs)
    elif known.get("Config", "").endswith("toe_config_t"):
        wanted.setdefault("Config", f"toe_config_pkg::preset_config({number}, {width or 0})")
    if "Preset" in known:
        wanted.setdefault("Preset", number)
    if "DataWidth" in known and width:
        wanted.setdefault("DataWidth", str(width))

    command, compilation, instance = _instance(top, wanted, files, include_dirs, defines)
    if any(diagnostic.isError() for diagnostic in compilation.getAllDiagnostics()):
        command.reportCompilation(compilation, True)
        shown = wanted | dict(defines or {})
        fail(f"{top} does not elaborate with {shown}; the messages above say why.")

    ports = []
    for port in instance.body.portList:
        dimensions, kind = [], port.type.canonicalType
        while kind.isUnpackedArray:
            dimensions.append((kind.range.left, kind.range.right))
            kind = kind.elementType.canonicalType
        enum = str(port.type if not dimensions else kind) if kind.isEnum else ""
        ports.append(
            Port(port.name, port.direction.name == "In", kind.bitWidth, tuple(dimensions), enum)
        )
    return Block(
        top,
        tuple(files),
        tuple(include_dirs),
        tuple(wanted.items()),
        tuple(ports),
        tuple((defines or {}).items()),
    )


def shell(block: Block, name: str = "shell") -> str:
    """A wrapper that passes every port on, as flat vectors."""
    ports, body = [], []
    for port in block.ports:
        direction = "input " if port.is_input else "output"
        ports.append(f"  {direction} logic [{port.bits - 1}:0] {port.name}_flat")
        body.append(f"  {port.declaration()}")
        for element, low in port.slices():
            flat = f"{port.name}_flat[{low}+:{port.element_bits}]"
            pair = (element, port.cast(flat)) if port.is_input else (flat, element)
            body.append(f"  assign {pair[0]} = {pair[1]};")
    body.append(f"  {block.instance('block')}")
    return f"module {name} (\n" + ",\n".join(ports) + "\n);\n" + "\n".join(body) + "\nendmodule\n"


def harness(block: Block, name: str = "harness") -> str:
    """A wrapper with four pins, so that a block of any number of ports fits a package.

    Every input bit is a flip-flop of a long chain, every output bit ends in a flip-flop,
    and registered stages of four fold those into one pin. So all paths in and out of the block are
    whole clocks, nothing is optimised away, and the wrapper's own paths are short.
    """
    inputs = [p for p in block.ports if p.is_input and not p.is_clock and not p.is_reset]
    outputs = [p for p in block.ports if not p.is_input]
    clocks = [p for p in block.ports if p.is_clock]
    resets = [p for p in block.ports if p.is_reset]
    input_bits = sum(p.bits for p in inputs)
    output_bits = sum(p.bits for p in outputs)
    first_clock = f"{clocks[0].name}_pin" if clocks else "clk_pin"
    ports = [f"  input logic {p.name}_pin" for p in clocks] or ["  input logic clk_pin"]
    ports += [
        "  input logic reset_pin",
        "  input logic stimulus_pin",
        "  output logic observed_pin",
    ]
    body = [f"  {port.declaration()}" for port in block.ports]
    body += [f"  assign {p.name} = {p.name}_pin;" for p in clocks]
    body += ["  logic reset_q;", f"  always_ff @(posedge {first_clock}) reset_q <= reset_pin;"]
    body += [f"  assign {p.name} = reset_q;" for p in resets]

    if input_bits:
        # Each bit is the XOR of the two before: were it a plain shift register, a block's own input
        # register would be the same as the next bit, and merged with it.
        body.append(f"  logic [{input_bits}:0] stimulus_q;")
        body.append(
            f"  always_ff @(posedge {first_clock}) stimulus_q <= {{stimulus_q[{input_bits - 1}:0],"
            f" stimulus_pin}} ^ {{stimulus_q[{input_bits - 1}:0], 1'b0}} << 1;"
        )
    base = 1
    for port in inputs:
        for element, low in port.slices():
            bits = f"stimulus_q[{base + low}+:{port.element_bits}]"
            body.append(f"  assign {element} = {port.cast(bits)};")
        base += port.bits

    body.append(f"  logic [{max(output_bits, 1) - 1}:0] level_0;")
    base = 0
    for port in outputs:
        for element, low in port.slices():
            body.append(
                f"  always_ff @(posedge {first_clock})"
                f" level_0[{base + low}+:{port.element_bits}] <= {element};"
            )
        base += port.bits
    level, bits = 0, max(output_bits, 1)
    while bits > 1:
        folded = (bits + 3) // 4
        body.append(f"  logic [{folded - 1}:0] level_{level + 1};")
        for i in range(folded):
            high = min(4 * i + 3, bits - 1)
            body.append(
                f"  always_ff @(posedge {first_clock})"
                f" level_{level + 1}[{i}] <= ^level_{level}[{high}:{4 * i}];"
            )
        level, bits = level + 1, folded
    body.append(f"  assign observed_pin = level_{level}[0];")
    body.append(f"  {block.instance('block')}")
    return f"module {name} (\n" + ",\n".join(ports) + "\n);\n" + "\n".join(body) + "\nendmodule\n"


def struct_fields(
    package: str, name: str, files: list[Path], include_dirs: list[Path]
) -> dict[str, tuple[int, int]]:
    """Lowest bit and width of each field of a packed struct, in the order of its declaration."""
    text = f"module toehold_shell; {package}::{name} value; endmodule\n"
    command, compilation = _compile("toehold_shell", text, files, include_dirs)
    variable = compilation.getRoot().topInstances[0].body.find("value")
    kind = variable.type.canonicalType
    if not kind.isIntegral or not hasattr(kind, "bitWidth") or kind.isError:
        fail(f"There is no struct {package}::{name}.")
    return {field.name: (field.bitOffset, field.type.bitWidth) for field in kind}


def _field(kind, bit: int) -> str:
    """Which field of a packed type a bit is of, as it is written after the signal's name."""
    kind = kind.canonicalType
    if kind.isStruct and not kind.isUnpackedStruct:
        for field in kind:
            if field.bitOffset <= bit < field.bitOffset + field.type.bitWidth:
                return f".{field.name}{_field(field.type, bit - field.bitOffset)}"
    if kind.isPackedArray and kind.elementType.canonicalType.bitWidth > 1:
        width = kind.elementType.canonicalType.bitWidth
        return f"[{bit // width}]{_field(kind.elementType, bit % width)}"
    return "" if kind.bitWidth == 1 else f"[{bit}]"


def places(block: Block, signals: list[str]) -> dict[str, tuple[str, str]]:
    """Signals as Yosys names them in a netlist of the block: with the field in place of the bit,
    and the file and line of the declaration. What the source does not have is left out."""
    # Held while symbols are used: they live in the compilation.
    _, compilation, instance = _instance(
        block.top,
        dict(block.parameters),
        list(block.files),
        list(block.include_dirs),
        dict(block.defines),
    )
    manager = compilation.sourceManager
    found = {}
    for signal in signals:
        name, _, index = signal.partition("[")
        try:
            symbol = instance.body.lookupName(name)
        except RuntimeError:  # not a name of SystemVerilog: a part of a memory, say
            continue
        if symbol is None or not hasattr(symbol, "type"):
            continue
        bit = index.rstrip("]")
        named = name + (_field(symbol.type, int(bit)) if bit.isdigit() else "")
        file = Path(manager.getFileName(symbol.location)).name
        found[signal] = (named, f"{file}:{manager.getLineNumber(symbol.location)}")
    return found
