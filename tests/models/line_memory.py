# SPDX-License-Identifier: Apache-2.0
"""Far memory as line_memory_pkg has it: any latency, responses in any order, lines in order."""

import random

from cocotb.triggers import RisingEdge

from support.packed import pack, unpack

LINE_BYTES = 64
REQUEST = {"write": 1, "address": 32, "tag": 8, "strobe": 64, "data": 512}
RESPONSE = {"write": 1, "tag": 8, "data": 512}


class LineMemory:
    """Serves m_line / s_line of `dut`. Lines that were never written hold random bytes.

    latency  clocks from a request to its response: from and to
    busy     how often no request is taken
    """

    def __init__(self, dut, latency=(4, 40), busy=0.2):
        self.dut, self.latency, self.busy = dut, latency, busy
        self.lines: dict[int, int] = {}
        self.reads = self.writes = 0
        self.outstanding: dict[int, int] = {}  # tags: clock of the response
        self.clock = 0
        self._done_at: dict[int, int] = {}  # lines: when the last request is carried out
        self._carried: list[tuple[int, int, dict[str, int]]] = []
        self._responses: list[tuple[int, dict[str, int]]] = []
        dut.s_line_valid.value = 0
        dut.m_line_ready.value = 0

    async def run(self):
        dut = self.dut
        ready = False
        number = 0
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if ready and dut.m_line_valid.value:
                request = unpack(REQUEST, int(dut.m_line.value))
                tag, line = request["tag"], request["address"]
                assert tag not in self.outstanding, f"tag {tag} is used before its response"
                answer = self.clock + random.randint(*self.latency)
                carry_out = max(random.randint(self.clock, answer), self._done_at.get(line, 0))
                self._done_at[line] = carry_out
                self.outstanding[tag] = max(answer, carry_out + 1)
                number += 1
                self._carried.append((carry_out, number, request))
                self._carried.sort(key=lambda entry: entry[:2])
            while self._carried and self._carried[0][0] <= self.clock:
                self._carry_out(self._carried.pop(0)[2])
            due = [r for r in self._responses if self.outstanding[r["tag"]] <= self.clock]
            dut.s_line_valid.value = bool(due)
            if due:
                response = random.choice(due)
                self._responses.remove(response)
                del self.outstanding[response["tag"]]
                dut.s_line.value = pack(RESPONSE, **response)
            else:
                dut.s_line.value = random.getrandbits(521)
            ready = random.random() >= self.busy
            dut.m_line_ready.value = ready

    def _carry_out(self, request: dict[str, int]):
        line = self.lines.get(request["address"])
        if line is None:
            line = random.getrandbits(8 * LINE_BYTES)
        if request["write"]:
            self.writes += 1
            mask = sum(0xFF << 8 * i for i in range(LINE_BYTES) if request["strobe"] >> i & 1)
            line = line & ~mask | request["data"] & mask
        else:
            self.reads += 1
        self.lines[request["address"]] = line
        self._responses.append({"write": request["write"], "tag": request["tag"], "data": line})
