// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"sync"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/link/ethernet"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	nic         = 1
	mtu         = 1500
	queueFrames = 4096 // more than a window of the smallest segments that a transfer has
)

// endpointState is what peer.h calls toehold_peer_state.
type endpointState int

const (
	opening endpointState = iota
	open
	closed
	failed
)

// host is one stack with one connection.
type host struct {
	clock    *outsideClock
	link     *channel.Endpoint
	stack    *stack.Stack
	arrived  [][]byte
	listener tcpip.Endpoint
	endpoint tcpip.Endpoint
	sent     []byte // taken by write, not yet by the endpoint
	closing  bool   // close was called
	shut     bool   // and the endpoint knows
	endSeen  bool   // the peer's FIN was read
}

// randomBytes is a source of what the stack draws; reads may come from several goroutines.
type randomBytes struct {
	mu     sync.Mutex
	source *rand.Rand
}

func (r *randomBytes) Read(bytes []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(bytes)
}

func (r *randomBytes) Int63() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Int63()
}

func (r *randomBytes) Seed(int64) {}

func address(ip uint32) tcpip.Address {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], ip)
	return tcpip.AddrFrom4(bytes)
}

func newHost(mac [6]byte, ip uint32, prefix int, seed uint64) (*host, error) {
	random := &randomBytes{source: rand.New(rand.NewSource(int64(seed)))}
	h := &host{clock: &outsideClock{}}
	h.link = channel.New(queueFrames, mtu+header.EthernetMinimumSize, tcpip.LinkAddress(mac[:]))
	h.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
		Clock:              h.clock,
		RandSource:         random,
		SecureRNG:          random,
	})
	if err := h.stack.CreateNIC(nic, ethernet.New(h.link)); err != nil {
		return nil, fmt.Errorf("interface: %s", err)
	}
	own := tcpip.AddressWithPrefix{Address: address(ip), PrefixLen: prefix}
	err := h.stack.AddProtocolAddress(nic, tcpip.ProtocolAddress{
		Protocol:          ipv4.ProtocolNumber,
		AddressWithPrefix: own,
	}, stack.AddressProperties{})
	if err != nil {
		return nil, fmt.Errorf("address: %s", err)
	}
	h.stack.SetRouteTable([]tcpip.Route{{Destination: own.Subnet(), NIC: nic}})
	return h, nil
}

func (h *host) destroy() {
	h.stack.Destroy()
	h.link.Close()
}

func (h *host) newEndpoint() (tcpip.Endpoint, error) {
	endpoint, err := h.stack.NewEndpoint(
		tcp.ProtocolNumber, ipv4.ProtocolNumber, &waiter.Queue{})
	if err != nil {
		return nil, fmt.Errorf("endpoint: %s", err)
	}
	return endpoint, nil
}

func (h *host) listen(port uint16) error {
	endpoint, err := h.newEndpoint()
	if err != nil {
		return err
	}
	if err := endpoint.Bind(tcpip.FullAddress{Port: port}); err != nil {
		return fmt.Errorf("bind: %s", err)
	}
	if err := endpoint.Listen(1); err != nil {
		return fmt.Errorf("listen: %s", err)
	}
	h.listener = endpoint
	return nil
}

func (h *host) connect(ip uint32, port uint16) error {
	endpoint, err := h.newEndpoint()
	if err != nil {
		return err
	}
	switch err := endpoint.Connect(tcpip.FullAddress{Addr: address(ip), Port: port}); err.(type) {
	case nil, *tcpip.ErrConnectStarted:
		h.endpoint = endpoint
		return nil
	default:
		return fmt.Errorf("connect: %s", err)
	}
}

func (h *host) putFrame(frame []byte) {
	h.arrived = append(h.arrived, frame)
}

func (h *host) takeFrame() []byte {
	packet := h.link.Read()
	if packet == nil {
		return nil
	}
	defer packet.DecRef()
	view := packet.ToView()
	defer view.Release()
	return bytes.Clone(view.AsSlice())
}

// settle returns when nothing is left to do at this time. Segments are processed by a goroutine of
// the stack's, which pauses only when it has no more of them.
func (h *host) settle() {
	protocol := h.stack.TransportProtocolInstance(tcp.ProtocolNumber)
	protocol.Pause()
	protocol.Resume()
}

// poll does what there is to do until `now`, and tells when it wants to be called again.
func (h *host) poll(now time.Duration) (time.Duration, bool) {
	h.clock.advance(now, h.settle)
	for _, frame := range h.arrived {
		packet := stack.NewPacketBuffer(
			stack.PacketBufferOptions{Payload: buffer.MakeWithData(frame)})
		h.link.InjectInbound(0, packet) // the Ethernet header has the protocol
		packet.DecRef()
		h.settle()
	}
	h.arrived = h.arrived[:0]
	if h.endpoint == nil && h.listener != nil {
		if endpoint, _, err := h.listener.Accept(nil); err == nil {
			h.endpoint = endpoint
			h.listener.Close()
		}
	}
	h.flush()
	h.settle()
	h.clock.advance(now, h.settle)
	return h.clock.next()
}

// flush gives the endpoint what it takes, and the end when all is given.
func (h *host) flush() {
	if h.state() != open {
		return
	}
	for len(h.sent) > 0 {
		reader := bytes.NewReader(h.sent)
		taken, err := h.endpoint.Write(reader, tcpip.WriteOptions{})
		if err != nil || taken == 0 {
			return
		}
		h.sent = h.sent[taken:]
	}
	if h.closing && !h.shut {
		h.endpoint.Shutdown(tcpip.ShutdownWrite)
		h.shut = true
	}
}

func (h *host) write(bytes []byte) int {
	if h.closing || len(h.sent) > 0 || h.state() != open {
		return 0
	}
	h.sent = append([]byte(nil), bytes...)
	return len(bytes)
}

// limitedWriter takes as many bytes as there is room for.
type limitedWriter struct{ room []byte }

func (w *limitedWriter) Write(bytes []byte) (int, error) {
	taken := copy(w.room, bytes)
	w.room = w.room[taken:]
	if taken < len(bytes) {
		return taken, fmt.Errorf("no room")
	}
	return taken, nil
}

// read fills `room`; end says that the peer has closed and all was read.
func (h *host) read(room []byte) (taken int, end bool) {
	if h.endpoint == nil {
		return 0, false
	}
	writer := &limitedWriter{room: room}
	result, err := h.endpoint.Read(writer, tcpip.ReadOptions{})
	if err == nil {
		h.endpoint.ModerateRecvBuf(result.Count)
		return result.Count, false
	}
	if _, ended := err.(*tcpip.ErrClosedForReceive); ended {
		h.endSeen = true
		return 0, true
	}
	return 0, false
}

func (h *host) state() endpointState {
	if h.endpoint == nil {
		return opening
	}
	switch tcp.EndpointState(h.endpoint.State()) {
	case tcp.StateEstablished, tcp.StateFinWait1, tcp.StateCloseWait, tcp.StateLastAck,
		tcp.StateClosing:
		return open
	case tcp.StateFinWait2:
		// A FIN that is sent again after a time-out takes this stack from LAST-ACK to FIN-WAIT-1,
		// where it waits for a FIN that it has had. Both ends are over all the same.
		if h.endSeen {
			return closed
		}
		return open
	case tcp.StateTimeWait:
		return closed
	case tcp.StateClose:
		if h.endSeen && h.shut {
			return closed
		}
		return failed
	case tcp.StateError:
		return failed
	default:
		return opening
	}
}
