// SPDX-License-Identifier: Apache-2.0

package main

import (
	"container/heap"
	"sync"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
)

// outsideClock is a tcpip.Clock that only advance moves. Timers run one after another, in order of
// their times and, at the same time, in the order in which they were set.
type outsideClock struct {
	mu     sync.Mutex
	now    time.Duration
	order  uint64
	timers timerHeap
}

// outsideTimer is one call that is to come.
type outsideTimer struct {
	clock *outsideClock
	call  func()
	at    time.Duration
	order uint64
	place int // in the heap; -1 when it is not set
}

func (c *outsideClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(0, int64(c.now))
}

func (c *outsideClock) NowMonotonic() tcpip.MonotonicTime {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tcpip.MonotonicTime{}.Add(c.now)
}

func (c *outsideClock) AfterFunc(delay time.Duration, call func()) tcpip.Timer {
	timer := &outsideTimer{clock: c, call: call, place: -1}
	timer.Reset(delay)
	return timer
}

func (t *outsideTimer) Reset(delay time.Duration) {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.place >= 0 {
		heap.Remove(&t.clock.timers, t.place)
	}
	t.clock.order++
	t.at, t.order = t.clock.now+max(delay, 0), t.clock.order
	heap.Push(&t.clock.timers, t)
}

func (t *outsideTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.place < 0 {
		return false
	}
	heap.Remove(&t.clock.timers, t.place)
	return true
}

// next tells when the first timer is due, if one is set.
func (c *outsideClock) next() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 {
		return 0, false
	}
	return c.timers[0].at, true
}

// advance moves the clock to `until` and runs the timers on the way; `settle` is called after each
// and waits until what it began is done.
func (c *outsideClock) advance(until time.Duration, settle func()) {
	for {
		timer := c.due(until)
		if timer == nil {
			return
		}
		timer.call()
		settle()
	}
}

// due takes the first timer until then, with the clock at its time; without one the clock is at
// `until`.
func (c *outsideClock) due(until time.Duration) *outsideTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 || c.timers[0].at > until {
		c.now = max(c.now, until)
		return nil
	}
	timer := heap.Pop(&c.timers).(*outsideTimer)
	c.now = max(c.now, timer.at)
	return timer
}

type timerHeap []*outsideTimer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(a, b int) bool {
	if h[a].at != h[b].at {
		return h[a].at < h[b].at
	}
	return h[a].order < h[b].order
}

func (h timerHeap) Swap(a, b int) {
	h[a], h[b] = h[b], h[a]
	h[a].place, h[b].place = a, b
}

func (h *timerHeap) Push(item any) {
	timer := item.(*outsideTimer)
	timer.place = len(*h)
	*h = append(*h, timer)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	timer := (*h)[last]
	*h = (*h)[:last]
	timer.place = -1
	return timer
}
