// SPDX-License-Identifier: Apache-2.0

// The netstack of gVisor behind the C interface of peer.h.
package main

// // cgo declares what it exports itself, and knows no const.
// #define TOEHOLD_PEER_TYPES_ONLY
// #include <stdlib.h>
// #include "../peer.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"
)

// The one host of this process.
var current *host

func slice(bytes unsafe.Pointer, length C.size_t) []byte {
	return unsafe.Slice((*byte)(bytes), int(length))
}

func status(err error) C.int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gvisor peer:", err)
		return -1
	}
	return 0
}

//export toehold_peer_interface
func toehold_peer_interface() C.int { return C.TOEHOLD_PEER_INTERFACE }

//export toehold_peer_create
func toehold_peer_create(settings *C.toehold_peer_settings) *C.toehold_peer {
	if current != nil {
		return nil
	}
	// One processor for Go is one goroutine for all segments: what happens, happens in order.
	runtime.GOMAXPROCS(1)
	var mac [6]byte
	copy(mac[:], slice(unsafe.Pointer(&settings.mac), 6))
	made, err := newHost(mac, uint32(settings.ip), int(settings.prefix), uint64(settings.seed))
	if status(err) != 0 {
		return nil
	}
	current = made
	// C wants an address of its own; nothing lies there.
	return (*C.toehold_peer)(C.malloc(1))
}

//export toehold_peer_destroy
func toehold_peer_destroy(peer *C.toehold_peer) {
	current.destroy()
	current = nil
	C.free(unsafe.Pointer(peer))
}

//export toehold_peer_listen
func toehold_peer_listen(_ *C.toehold_peer, port C.uint16_t) C.int {
	return status(current.listen(uint16(port)))
}

//export toehold_peer_connect
func toehold_peer_connect(_ *C.toehold_peer, ip C.uint32_t, port C.uint16_t) C.int {
	return status(current.connect(uint32(ip), uint16(port)))
}

//export toehold_peer_put_frame
func toehold_peer_put_frame(_ *C.toehold_peer, bytes unsafe.Pointer, length C.size_t) {
	current.putFrame(C.GoBytes(bytes, C.int(length)))
}

//export toehold_peer_take_frame
func toehold_peer_take_frame(
	_ *C.toehold_peer, bytes unsafe.Pointer, capacity C.size_t,
) C.size_t {
	frame := current.takeFrame()
	if len(frame) > int(capacity) {
		return 0
	}
	return C.size_t(copy(slice(bytes, capacity), frame))
}

//export toehold_peer_poll
func toehold_peer_poll(_ *C.toehold_peer, now C.uint64_t) C.uint64_t {
	next, set := current.poll(time.Duration(now) * time.Microsecond)
	if !set {
		return C.TOEHOLD_PEER_NEVER
	}
	// The first whole microsecond at which it is due.
	return max(now+1, C.uint64_t((next+time.Microsecond-1)/time.Microsecond))
}

//export toehold_peer_write
func toehold_peer_write(_ *C.toehold_peer, bytes unsafe.Pointer, length C.size_t) C.size_t {
	return C.size_t(current.write(slice(bytes, length)))
}

//export toehold_peer_read
func toehold_peer_read(_ *C.toehold_peer, bytes unsafe.Pointer, capacity C.size_t) C.int64_t {
	taken, end := current.read(slice(bytes, capacity))
	if end {
		return -1
	}
	return C.int64_t(taken)
}

//export toehold_peer_close
func toehold_peer_close(*C.toehold_peer) { current.closing = true }

//export toehold_peer_get_state
func toehold_peer_get_state(*C.toehold_peer) C.enum_toehold_peer_state {
	return C.enum_toehold_peer_state(current.state())
}

func main() {}
