# SPDX-License-Identifier: Apache-2.0
"""The command line `toehold`. Each command imports its implementation when it is called."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from toehold import __version__, units
from toehold.console import Failure, errors, fail
from toehold.options import App, Dram, LinkOptions, Preset, RunOptions, Width


class _InOrder(TyperGroup):
    """Lists the commands in the order in which a newcomer meets them."""

    def list_commands(self, ctx):
        return list(self.commands)


app = typer.Typer(
    cls=_InOrder,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Toehold, an open TCP offload engine in SystemVerilog: run it, measure it, check it.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def quantity(parse):
    """An option parser from one of `units`, whose ValueError becomes the sentence of the error."""

    def parsed(text: str):
        # Typer parses defaults too, which are quantities already.
        if not isinstance(text, str):
            return text
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    parsed.__name__ = "quantity"
    return parsed


def share(name: str, what: str):
    return typer.Option(
        f"--{name}",
        parser=quantity(units.probability),
        metavar="SHARE",
        help=f"{what}, each way: 1% or 0.01.",
        rich_help_panel="Link between TAP and engine",
    )


PresetOption = Annotated[
    Preset, typer.Option("--preset", help="Named configuration of toe_config_pkg.")
]
WidthOption = Annotated[Width, typer.Option("--width", help="Data path in bits per clock.")]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the result here as JSON.")
]


SystemOption = Annotated[
    Path | None,
    typer.Option(
        "--system",
        metavar="FILE",
        help="A system of your own, by its FuseSoC .core file, in place of Toehold's (examples/).",
    ),
]
ProfiledOption = Annotated[
    bool,
    typer.Option(
        "--profiled",
        help="Build the simulation twice, the second time for where the first spent its clocks:"
        " about a fifth faster.",
    ),
]


@app.callback(invoke_without_command=True)
def toehold(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        typer.echo(f"toehold {__version__}")
        raise typer.Exit()


@app.command(
    context_settings={"allow_extra_args": True, "allow_interspersed_args": False},
    epilog="Example: toehold run --loss 1% --seed 7 -- curl -s http://10.77.0.2/",
)
def run(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND...]",
            help="Run inside the network namespace; its exit status is passed on.",
            show_default=False,
        ),
    ] = None,
    preset: PresetOption = Preset.small,
    width: WidthOption = Width.w64,
    application: Annotated[
        App | None,
        typer.Option(
            "--app",
            help="Attach this application alone; all of them when not given. raw-pong replaces the"
            " engine by the raw link (docs/raw_link.md), 8 bits wide at the MAC.",
        ),
    ] = None,
    system: SystemOption = None,
    profiled: ProfiledOption = False,
    netlist: Annotated[
        bool,
        typer.Option(
            "--netlist",
            help="Simulate what Yosys makes of it for ECP5, cell by cell: some thousand clocks a"
            " second, and a build of many minutes.",
        ),
    ] = False,
    dram: Annotated[
        Dram, typer.Option(help="Memory behind the AXI4 ports, in presets that use them.")
    ] = Dram.ddr4_2400,
    dram_channels: Annotated[
        int,
        typer.Option(min=1, max=32, help="Channels of it behind each port; 256 bytes in turn."),
    ] = 1,
    pcap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every frame, both ways, as pcap.")
    ] = None,
    wave: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write waveforms as FST (GTKWave, Surfer).")
    ] = None,
    wave_window: Annotated[
        str,
        typer.Option(
            "--wave-window",
            parser=quantity(units.window),
            metavar="START:END",
            help="Times of the engine between which waveforms are written: 50ms:5s.",
        ),
    ] = ":",
    loss: Annotated[str, share("loss", "Frames lost")] = "0%",
    reorder: Annotated[str, share("reorder", "Frames that a later one overtakes")] = "0%",
    duplicate: Annotated[str, share("duplicate", "Frames that arrive twice")] = "0%",
    corrupt: Annotated[str, share("corrupt", "Frames with one bit flipped")] = "0%",
    delay: Annotated[
        str,
        typer.Option(
            parser=quantity(units.seconds),
            metavar="TIME",
            help="Delay of each frame, each way: 200us, 3ms.",
            rich_help_panel="Link between TAP and engine",
        ),
    ] = "0us",
    rate: Annotated[
        str | None,
        typer.Option(
            parser=quantity(units.bits_per_second),
            metavar="RATE",
            help="Bits per second, each way: 100Mbit, 1Gbit. No limit when not given.",
            rich_help_panel="Link between TAP and engine",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            help="Seed of the link model: the same seed, the same losses.",
            rich_help_panel="Link between TAP and engine",
        ),
    ] = 1,
    time: Annotated[
        str,
        typer.Option(
            metavar="wall|cycles", help="What the engine's time follows: the wall clock, or clocks."
        ),
    ] = "wall",
    duration: Annotated[
        str | None,
        typer.Option(
            parser=quantity(units.seconds),
            metavar="TIME",
            help="End the live view after this time: 30s.",
        ),
    ] = None,
    json_file: JsonOption = None,
) -> None:
    """Bring up the simulated engine on a TAP device in a network namespace of its own.

    Shows ping, a page fetched by curl and an echoed megabyte, then a live view of what the hardware
    does. Ctrl-C ends it and removes what it made. With a COMMAND, runs that inside the namespace
    instead and ends with it.
    """
    from toehold.run import run_command

    status = run_command(
        RunOptions(
            preset=preset.value,
            width=width.bits,
            app=application.value if application else None,
            system=system,
            profiled=profiled,
            netlist=netlist,
            dram=dram.value,
            dram_channels=dram_channels,
            pcap=pcap,
            wave=wave,
            wave_window_s=wave_window,
            link=LinkOptions(loss, reorder, duplicate, corrupt, delay, rate, seed),
            command=tuple(command or ()),
        ),
        time_mode=time,
        json_file=json_file,
        duration_s=duration,
    )
    raise typer.Exit(status or 0)


@app.command(epilog="Example: toehold bench rx_latency --width 512 --quick")
def bench(
    scenario: Annotated[
        str | None,
        typer.Argument(help="Name of a scenario in benchmarks/scenarios; all of them without."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A shorter run, not for the documents.")
    ] = False,
    preset: Annotated[
        Preset | None,
        typer.Option("--preset", help="Configuration; each scenario's first when not given."),
    ] = None,
    width: Annotated[
        Width | None,
        typer.Option("--width", help="Data path in bits per clock; each width when not given."),
    ] = None,
    json_file: JsonOption = None,
    store: Annotated[
        bool, typer.Option("--store", help="Also write to benchmarks/results, for the documents.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="With --quick: fail when a figure is 3 % worse than the stored one."
        ),
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the scenarios and end.")] = False,
) -> None:
    """Measure the engine in simulation, print a table and write JSON.

    The JSON goes to build/bench/SCENARIO.json or to --json, and plots beside it. Figures
    in clocks or virtual time are exact: the same revision, configuration and seed give the same
    numbers on any machine.
    """
    from toehold import bench as implementation

    implementation.bench_command(
        scenario=scenario,
        quick=quick,
        preset=preset.value if preset else None,
        width=width.bits if width else None,
        json_file=json_file,
        store=store,
        list_only=list_,
        check=check,
    )


@app.command(epilog="Example: toehold synth --top stream_fifo --device ecp5 --seeds 3")
def synth(
    context: typer.Context,
    top: Annotated[
        str | None,
        typer.Option(metavar="MODULE", help="Module to synthesise; the engine when not given."),
    ] = None,
    system: SystemOption = None,
    preset: PresetOption = Preset.small,
    width: WidthOption = Width.w64,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="ecp5|xc7|xcup|all",
            help="Device families to map to, with commas between them. [default: all; ecp5,xc7 for"
            " all configurations]",
            show_default=False,
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", "-G", metavar="NAME=VALUE", help="Parameter of the top; repeatable."
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Place and route this often (ECP5); all are reported.")
    ] = 1,
    first_seed: Annotated[int, typer.Option(min=1, help="The first of these seeds.")] = 1,
    frequency: Annotated[
        float, typer.Option("--frequency", metavar="MHZ", help="Clock that routing aims at.")
    ] = 156.25,
    no_route: Annotated[
        bool, typer.Option("--no-route", help="Area alone: seconds instead of minutes.")
    ] = False,
    depth: Annotated[
        int, typer.Option(min=0, help="Levels of the tree of blocks shown; 0: no tree is made.")
    ] = 3,
    sort: Annotated[
        str, typer.Option(metavar="FIGURE", help="Order of the blocks: lut4, ff, dp16kd, name.")
    ] = "lut4",
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="Field of the preset's configuration; repeatable."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What the result's figures end in; the preset when not given."
        ),
    ] = None,
    json_file: JsonOption = None,
    store: Annotated[
        bool, typer.Option("--store", help="Also write to benchmarks/results, for the documents.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Fail if a figure is worse than the stored one by over 5 %."),
    ] = False,
    add_seeds: Annotated[
        bool,
        typer.Option(
            "--add-seeds",
            help="Add what these seeds give to the stored result, if that is of the same netlist.",
        ),
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the modules and end.")] = False,
    steps: Annotated[
        bool,
        typer.Option("--steps", help="The steps of a decision, each by itself, and nothing else."),
    ] = False,
    retime: Annotated[
        bool,
        typer.Option(
            "--retime", help="With --steps: some with registers behind them that ABC may move."
        ),
    ] = False,
    features: Annotated[
        bool,
        typer.Option(
            "--features", help="The engine without each optional feature, and nothing else."
        ),
    ] = False,
    paths: Annotated[
        bool,
        typer.Option(
            "--paths",
            help="All paths too long for --frequency, by an estimate before placing, and nothing"
            " else.",
        ),
    ] = False,
) -> None:
    """Area on ECP5, Xilinx 7-series and UltraScale+, Fmax on ECP5-85F speed grade 8 after routing.

    Without an option that says what to measure, all configurations that are documented: every
    preset and those of the sizes that were published. That takes an hour or two; clock rates that
    are stored of the same netlist are taken, others take hours each.

    The top is routed inside a harness that registers its ports, so that Fmax says what the block
    does between registers. The critical path is shown by the names of the source.
    """
    if steps:
        from toehold.steps import steps_command

        steps_command(json_file, store, retime)
        return
    if retime:
        fail("--retime is about the steps of a decision: give it --steps too.", 2)
    if features:
        from toehold.feature_costs import features_command
        from toehold.synth import pairs

        features_command(
            top,
            preset.value,
            width.bits,
            pairs(parameter or []),
            device or "all",
            json_file,
            store,
        )
        return
    if paths:
        from toehold.long_paths import paths_command
        from toehold.synth import choose

        chosen = choose(top, system, preset.value, width.bits, parameter or [], field or [], label)
        paths_command(chosen, frequency, depth, json_file, store)
        return
    if not list_ and _is_about_all(context):
        from toehold.synth_all import all_command

        raise typer.Exit(
            all_command(width.bits, device, frequency, not no_route, json_file, store, check)
        )
    from toehold import synth as implementation

    raise typer.Exit(
        implementation.synth_command(
            top=top,
            system=system,
            preset=preset.value,
            width=width.bits,
            device=device or "all",
            parameters=parameter or [],
            seeds=range(first_seed, first_seed + seeds),
            frequency_mhz=frequency,
            route=not no_route,
            depth=depth,
            json_file=json_file,
            store=store,
            list_only=list_,
            fields=field or [],
            label=label,
            sort=sort,
            check=check,
            add_seeds=add_seeds,
        )
    )


def _is_about_all(context: typer.Context) -> bool:
    """Whether no option of `synth` is about one block."""
    of_all = {"width", "device", "frequency", "no_route", "json_file", "store", "check"}
    return not any(
        context.get_parameter_source(name).name == "COMMANDLINE"
        for name in context.params.keys() - of_all
    )


@app.command(epilog="Example: toehold board ecpix5")
def board(
    name: Annotated[str, typer.Argument(metavar="BOARD", help="A folder of boards/: ecpix5.")],
    seed: Annotated[int, typer.Option(min=1, help="Of place and route.")] = 1,
    json_file: JsonOption = None,
    store: Annotated[
        bool, typer.Option("--store", help="Also write to benchmarks/results, for the documents.")
    ] = False,
) -> None:
    """Build the bitstream of a board, in build/boards/BOARD: most of an hour.

    The result says what rate each clock reaches after routing. No bitstream has been run on
    hardware yet.
    """
    from toehold.board import board_command

    raise typer.Exit(board_command(name, seed, json_file, store))


@app.command(context_settings=PASS_ON, epilog="Example: toehold formal -k stream_fifo")
def formal(context: typer.Context) -> None:
    """Run the proofs in formal/proofs at full depth: bounded check, induction and covers.

    `toehold test` runs them, too, the longest of them not as deep (TOEHOLD_FULL=1: as here).
    Further options go to pytest.
    """
    from toehold import testing

    os.environ.setdefault("TOEHOLD_FULL", "1")
    raise typer.Exit(testing.run_pytest(["formal"], context.args))


@app.command(context_settings=PASS_ON, epilog="Example: toehold test -k curl -x")
def test(context: typer.Context) -> None:
    """Run all tests and proofs on two cores; further options and paths go to pytest.

    Tests that lack a tool of this machine are skipped and named at the end.
    """
    from toehold import testing

    raise typer.Exit(testing.run_pytest([], context.args))


@app.command(context_settings=PASS_ON, epilog="Example: toehold soak --rounds 50 tests/interop")
def soak(
    context: typer.Context,
    rounds: Annotated[int, typer.Option(min=1, help="How often all tests are run.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the first round; the next has the next.")] = 1,
) -> None:
    """Run the tests again and again, each round with another seed, until one fails.

    Further options and paths go to pytest.
    """
    from toehold import testing

    raise typer.Exit(testing.run_soak(rounds, seed, context.args))


@app.command(epilog="Example: toehold fuzz --events 10000000 --seed 5")
def fuzz(
    events: Annotated[
        int, typer.Option(min=1, help="How many, in both processes together.")
    ] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Of the first process; the second has the next.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Where the result is written.")
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Also into benchmarks/results, for the documents.")
    ] = False,
) -> None:
    """Throw random events at the connection pipeline, and check after each what must hold.

    Exit status 1 when something did not; the seed that is printed does the same again.
    """
    from toehold import fuzz as implementation

    raise typer.Exit(implementation.fuzz_command(events, seed, json_file, store))


@app.command()
def doctor() -> None:
    """Check what this machine offers, with a sentence for each thing that is missing.

    Exit status 0 when everything is there, 1 when something optional is missing, 2 when Toehold
    cannot be built or run at all.
    """
    from toehold import doctor as implementation

    raise typer.Exit(implementation.doctor_command())


@app.command()
def lint(
    checks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHECK...]", help="Names of checks; all of them without."),
    ] = None,
) -> None:
    """Check the sources: verilator, yosys, verible, licence lines, registers, documents, Python."""
    from toehold import lint as implementation

    raise typer.Exit(implementation.lint_command(checks or []))


@app.command(name="format")
def format_(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders; everything without.")
    ] = None,
) -> None:
    """Rewrite SystemVerilog and Python in the house style."""
    from toehold import lint as implementation

    implementation.format_command(paths or [])


PrefixOption = Annotated[
    Path, typer.Option("--prefix", help="Where include/ and lib/ are.", metavar="FOLDER")
]
DestdirOption = Annotated[
    str, typer.Option("--destdir", help="Goes before the prefix, for packages.", metavar="FOLDER")
]
DEFAULT_PREFIX = Path("/usr/local")


@app.command(epilog="Example: toehold install --prefix ~/.local --width 512")
def install(
    prefix: PrefixOption = DEFAULT_PREFIX,
    destdir: DestdirOption = "",
    preset: Annotated[Preset, typer.Option(help="Configuration of the engine.")] = Preset.small,
    width: Annotated[Width, typer.Option(help="Data path in bits.")] = Width.w64,
    profiled: ProfiledOption = False,
) -> None:
    """Install the simulated engine as a C library, with headers and a file for pkg-config.

    Configurations that are installed already stay; the last one is that which pkg-config names.
    """
    from toehold import install as implementation

    implementation.install_command(
        prefix.expanduser().absolute(), destdir, preset.value, width.bits, profiled
    )


@app.command()
def uninstall(prefix: PrefixOption = DEFAULT_PREFIX, destdir: DestdirOption = "") -> None:
    """Remove what toehold install has put there, all configurations.

    Folders stay, also empty ones.
    """
    from toehold import install as implementation

    implementation.uninstall_command(prefix.expanduser().absolute(), destdir)


@app.command()
def registers(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail when something is out of date.")
    ] = False,
) -> None:
    """Generate RTL, C header, Python constants and documentation from registers/*.rdl."""
    from toehold import register_generator

    raise typer.Exit(register_generator.registers_command(check))


@app.command()
def docs(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail when something is out of date.")
    ] = False,
) -> None:
    """Render stored results and WaveDrom diagrams into README.md and docs/."""
    from toehold import docs as implementation

    raise typer.Exit(implementation.docs_command(check))


def main() -> None:
    """Entry point: whatever goes wrong for a reason we know ends with one sentence."""
    from typer._click.exceptions import ClickException, NoArgsIsHelpError

    try:
        status = app(standalone_mode=False, prog_name="toehold")
    except NoArgsIsHelpError as shown:
        shown.show()
        sys.exit(2)
    except ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "toehold"
        sentence = error.format_message().replace("Value error, ", "")
        errors.print(f"{path}: {sentence}", markup=False, soft_wrap=True)
        sys.exit(2)
    except Failure as error:
        errors.print(f"toehold: {error}", markup=False, soft_wrap=True)
        sys.exit(error.status)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
