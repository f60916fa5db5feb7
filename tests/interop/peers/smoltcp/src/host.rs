// SPDX-License-Identifier: Apache-2.0

//! One interface with one TCP socket.

use std::collections::VecDeque;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr, Ipv4Address};

const FRAME_BYTES: usize = 1514;
const BUFFER_BYTES: usize = 65535;
const FIRST_EPHEMERAL_PORT: u16 = 49152;

/// What peer.h calls toehold_peer_state.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum HostState {
    Opening = 0,
    Open = 1,
    Closed = 2,
    Failed = 3,
}

/// What a read finds.
pub enum Incoming {
    Bytes(usize),
    End,
}

/// The frames on their way into the stack and out of it.
#[derive(Default)]
struct Frames {
    arrived: VecDeque<Vec<u8>>,
    sent: VecDeque<Vec<u8>>,
}

struct Arrived(Vec<u8>);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

struct Room<'a>(&'a mut VecDeque<Vec<u8>>);

impl TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut frame = vec![0; length];
        let result = fill(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Frames {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Room<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Room<'_>)> {
        let frame = self.arrived.pop_front()?;
        Some((Arrived(frame), Room(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        Some(Room(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME_BYTES;
        capabilities
    }
}

pub struct Host {
    frames: Frames,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    local_port: u16,
    opened: bool,
    closed: bool,
    end_seen: bool,
}

impl Host {
    pub fn new(mac: [u8; 6], ip: u32, prefix: u8, seed: u64) -> Host {
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(mac)));
        config.random_seed = seed;
        let mut frames = Frames::default();
        let mut interface = Interface::new(config, &mut frames, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            let own = IpCidr::new(Ipv4Address::from_bits(ip).into(), prefix);
            addresses.push(own).expect("there is room for one address");
        });
        let mut socket = tcp::Socket::new(
            tcp::SocketBuffer::new(vec![0; BUFFER_BYTES]),
            tcp::SocketBuffer::new(vec![0; BUFFER_BYTES]),
        );
        socket.set_congestion_control(tcp::CongestionControl::Reno);
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket);
        let local_port = FIRST_EPHEMERAL_PORT | (seed & 0x3fff) as u16;
        Host {
            frames,
            interface,
            sockets,
            socket,
            local_port,
            opened: false,
            closed: false,
            end_seen: false,
        }
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.socket)
    }

    pub fn listen(&mut self, port: u16) -> bool {
        self.socket().listen(port).is_ok()
    }

    pub fn connect(&mut self, ip: u32, port: u16) -> bool {
        let remote = (Ipv4Address::from_bits(ip), port);
        let local_port = self.local_port;
        let context = self.interface.context();
        let socket = self.sockets.get_mut::<tcp::Socket>(self.socket);
        self.opened = socket.connect(context, remote, local_port).is_ok();
        self.opened
    }

    pub fn put_frame(&mut self, frame: &[u8]) {
        self.frames.arrived.push_back(frame.to_vec());
    }

    pub fn sent(&mut self) -> &mut VecDeque<Vec<u8>> {
        &mut self.frames.sent
    }

    /// Does what there is to do; when it wants to be called again, in microseconds.
    pub fn poll(&mut self, now_us: u64) -> Option<u64> {
        let now = Instant::from_micros(now_us as i64);
        self.interface
            .poll(now, &mut self.frames, &mut self.sockets);
        self.interface
            .poll_at(now, &self.sockets)
            .map(|at| (at.total_micros() as u64).max(now_us + 1))
    }

    pub fn write(&mut self, bytes: &[u8]) -> usize {
        self.socket().send_slice(bytes).unwrap_or(0)
    }

    pub fn read(&mut self, room: &mut [u8]) -> Incoming {
        match self.socket().recv_slice(room) {
            Ok(taken) => Incoming::Bytes(taken),
            Err(tcp::RecvError::Finished) => {
                self.end_seen = true;
                Incoming::End
            }
            Err(tcp::RecvError::InvalidState) => Incoming::Bytes(0),
        }
    }

    pub fn close(&mut self) {
        self.closed = true;
        self.socket().close();
    }

    pub fn state(&mut self) -> HostState {
        match self.socket().state() {
            // A socket that has not begun is closed, too.
            tcp::State::Closed if self.closed && self.end_seen => HostState::Closed,
            tcp::State::Closed if !self.opened => HostState::Opening,
            tcp::State::Closed => HostState::Failed,
            tcp::State::Listen | tcp::State::SynSent | tcp::State::SynReceived => {
                HostState::Opening
            }
            tcp::State::TimeWait => HostState::Closed,
            _ => {
                self.opened = true;
                HostState::Open
            }
        }
    }
}
