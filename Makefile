# SPDX-License-Identifier: Apache-2.0

PYTHON  ?= python3
TOEHOLD := .venv/bin/toehold

# Where make install puts the C library of the simulation; DESTDIR goes before it.
PREFIX  ?= /usr/local
DESTDIR ?=

# Options for the command behind a target: make synth ARGS="--preset small"
ARGS ?=

.PHONY: help setup run test lint format formal bench bench-quick synth board registers docs soak doctor install uninstall clean
.DEFAULT_GOAL := help

help:
	@echo "make run        bring up the simulated engine and talk to it (sets up what is missing)"
	@echo "make test       run all tests"
	@echo "make lint       check RTL, Python and what is generated"
	@echo "make format     rewrite RTL and Python in the house style"
	@echo "make formal     run the proofs"
	@echo "make bench      run the benchmarks, store their results and render the documents"
	@echo "make bench-quick  short runs of those that are exact, compared with stored ones"
	@echo "make synth      area of every preset, and Fmax on ECP5 (an hour or two)"
	@echo "make board ARGS=ecpix5  bitstream of a board, with the open tools"
	@echo "make registers  regenerate all that comes from registers/*.rdl"
	@echo "make docs       render figures and diagrams into the documents"
	@echo "make soak       run the tests again and again, with new seeds"
	@echo "make install    the simulated engine as a C library, in PREFIX (/usr/local); make uninstall"
	@echo "make doctor     check this machine"
	@echo "make setup      virtual environment and pinned packages alone"
	@echo "make clean      remove what was built; the virtual environment stays"
	@echo
	@echo "ARGS passes options on: make synth ARGS=\"--top stream_fifo\"."
	@echo "Behind each target is a command: after make setup, see .venv/bin/toehold --help."

setup:
	@$(PYTHON) software/bootstrap.py

run test lint format formal synth board registers docs soak doctor: setup
	@$(TOEHOLD) $@ $(ARGS)

bench: setup
	@$(TOEHOLD) bench --store $(ARGS)
	@$(TOEHOLD) docs

bench-quick: setup
	@$(TOEHOLD) bench --quick --check $(ARGS)

install uninstall: setup
	@$(TOEHOLD) $@ --prefix "$(PREFIX)" --destdir "$(DESTDIR)" $(ARGS)

clean:
	rm -rf build sim_build .pytest_cache .ruff_cache
	find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
