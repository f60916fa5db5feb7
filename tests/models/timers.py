# SPDX-License-Identifier: Apache-2.0
"""Timers as a queue for each class, against which a module's are compared."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from support.simulate import parameter
from support.streams import never, start

CLASSES = 16
MIN_LOG2 = 6
MASK = (1 << 31) - 1


class TimerBench:
    """Arms what is asked for, moves the time, and checks everything that comes out.

    before_us   entries wait from up to so long before they are armed, where the module is told
    """

    def __init__(self, dut, now: int = 0, backpressure=never, before_us: int = 0):
        self.dut, self.now, self.backpressure = dut, now, backpressure()
        self.connections = parameter("Connections")
        self.queues = [deque() for _ in range(CLASSES)]  # id, time of arming
        self.arms: deque[tuple[int, int]] = deque()  # id, class
        self.arming = None
        self.before_us, self.before = before_us, 0
        self.expired: list[tuple[int, int, int]] = []  # clock, id, class
        self.clock = 0
        self.step = never
        self.due_since: dict[int, int] = {}  # class: clock
        self.worst_wait = 0

    async def begin(self):
        dut = self.dut
        await start(dut, arm_valid=0, m_ready=0, now_us=self.now & MASK)
        waited = 0
        while not dut.init_done_o.value:
            await RisingEdge(dut.clk)
            waited += 1
            assert waited <= CLASSES
        cocotb.start_soon(self._run())

    async def _run(self):
        """self.now is what the module is shown until the next edge."""
        dut, ready, held = self.dut, False, None
        while True:
            await RisingEdge(dut.clk)
            self.clock += 1
            if self.arming is not None:
                identity, timer_class = self.arming
                self.queues[timer_class].append((identity, self.now - self.before))
                self.arming = None
            if dut.m_valid.value:
                offered = int(dut.m_id.value), int(dut.m_class.value)
                assert held in (None, offered), "what is offered changed"
                held = offered
                if ready:
                    held = None
                    self._expire(*offered)
            else:
                assert held is None, "what was offered went away"
            self._watch()

            self.now += next(self.step_iterator) if self.step is not never else 0
            dut.now_us.value = self.now & MASK
            if hasattr(dut, "arm_us"):
                self.before = random.randint(0, self.before_us)
                dut.arm_us.value = self.now - self.before & MASK
            if self.arms and self.room():
                self.arming = self.arms.popleft()
                dut.arm_id.value, dut.arm_class.value = self.arming
            else:
                dut.arm_id.value = random.randrange(self.connections)
                dut.arm_class.value = random.randrange(CLASSES)
            dut.arm_valid.value = self.arming is not None
            ready = not next(self.backpressure)
            dut.m_ready.value = ready

    def room(self) -> bool:
        return True

    def _expire(self, identity: int, timer_class: int):
        assert self.queues[timer_class], f"class {timer_class} is empty and gave {identity}"
        expected, armed = self.queues[timer_class].popleft()
        assert identity == expected, f"class {timer_class} gave {identity} before {expected}"
        waited = self.now - armed
        assert waited >= self.duration(timer_class), f"{waited} us are too early"
        self.expired.append((self.clock, identity, timer_class))
        self.due_since.pop(timer_class, None)

    def _watch(self):
        """How many clocks a class whose head is due has been waiting."""
        for timer_class, queue in enumerate(self.queues):
            if queue and self.now - queue[0][1] >= self.duration(timer_class):
                since = self.due_since.setdefault(timer_class, self.clock)
                self.worst_wait = max(self.worst_wait, self.clock - since)

    @staticmethod
    def duration(timer_class: int) -> int:
        return 1 << (timer_class + MIN_LOG2)

    def run_time(self, steps):
        """Let the time go on by what the iterator gives, each clock."""
        self.step, self.step_iterator = None, steps

    def stop_time(self):
        self.step = never

    @property
    def waiting(self) -> int:
        return sum(map(len, self.queues))

    async def empty(self, limit: int):
        begin = self.clock
        while self.waiting or self.arms or self.arming:
            await RisingEdge(self.dut.clk)
            assert self.clock - begin < limit, f"{self.waiting} entries do not come out"


def steady(numerator: int, denominator: int):
    """numerator microseconds in denominator clocks."""
    rest = 0
    while True:
        rest += numerator
        yield rest // denominator
        rest %= denominator


def jumping(longest_log2: int):
    while True:
        yield random.randrange(1 << random.randint(0, longest_log2)) * (random.random() < 0.05)
