# Satchel. `make help` lists what can be done.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BUILD   := swift build --explicit-target-dependency-import-check error
PYTHON  := .venv/bin/python
SOURCES := Sources Tests Package.swift
# Suites that wait for other processes hold the threads that all tests share; they run by themselves, so that nobody's time
# limit runs out in the queue.
WAITING := ^(BluetoothHCITests|EndToEnd|Interop|SQLiteStoresTests)\.

.PHONY: help setup setup-test setup-kernel build release run demo-chat test test-kernel soak lint format bench fuzz interop-venv clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: ## Install the Debian packages that building needs
	@scripts/setup

setup-test: setup
	@scripts/setup test

setup-kernel: setup
	@scripts/setup kernel

build: setup ## Build everything, for debugging
	$(BUILD)

release: setup ## Build satchel, optimised
	swift build -c release --product satchel

run: release ## Build and run the node with a chat on the default air directory
	@"$$(swift build -c release --show-bin-path)/satchel" chat

demo-chat: release ## Alice and Bob, two nodes with homes of their own, in two panes (or one after the other without tmux)
	@scripts/demo-chat "$$(swift build -c release --show-bin-path)/satchel"

interop-venv: setup-test
	@[ -x $(PYTHON) ] && cmp -s Tests/Interop/requirements.txt .venv/requirements.txt || { \
	  python3 -m venv --clear .venv; \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check -r Tests/Interop/requirements.txt; \
	  cp Tests/Interop/requirements.txt .venv/requirements.txt; }

test: setup-test interop-venv ## Run every test, with reduced counts and fixed seeds
	$(BUILD) --build-tests
	swift test --skip-build --skip '$(WAITING)'
	SATCHEL_INTEROP_PYTHON=$(CURDIR)/$(PYTHON) swift test --skip-build --filter '$(WAITING)'
	Tests/Fuzz/build-and-run 10

test-kernel: setup-kernel ## Run two nodes on the Bluetooth adapters of a real kernel, in an emulated machine
	$(BUILD) --product satchel
	Tests/Kernel/run "$$(swift build --show-bin-path)/satchel"

soak: setup-test interop-venv ## Run every test with the full counts (SATCHEL_SOAK=1)
	$(BUILD) --build-tests
	SATCHEL_SOAK=1 swift test --skip-build --skip '$(WAITING)'
	SATCHEL_SOAK=1 SATCHEL_INTEROP_PYTHON=$(CURDIR)/$(PYTHON) swift test --skip-build --filter '$(WAITING)'
	Tests/Fuzz/build-and-run 60

lint: setup ## Check format, layers and imports
	swift format lint -r --strict $(SOURCES)
	scripts/check-layers
	$(BUILD)

format: ## Rewrite the sources in the project's format
	swift format -i -r $(SOURCES)

bench: interop-venv ## Print operations per second, optimised
	SATCHEL_INTEROP_PYTHON=$(CURDIR)/$(PYTHON) swift run -c release Benchmarks

fuzz: setup ## Fuzz each decoder for a minute
	Tests/Fuzz/build-and-run 60

clean: ## Remove everything that was built
	rm -rf .build .venv
