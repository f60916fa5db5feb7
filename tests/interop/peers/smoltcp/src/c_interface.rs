// SPDX-License-Identifier: Apache-2.0

//! The functions of peer.h. Callers keep what is said there: addresses are valid, one thread.

use std::slice;

use crate::host::{Host, HostState, Incoming};

const INTERFACE: i32 = 1;
const NEVER: u64 = u64::MAX;

#[repr(C)]
pub struct Settings {
    mac: [u8; 6],
    reserved: [u8; 2],
    ip: u32,
    prefix: u32,
    seed: u64,
}

#[unsafe(no_mangle)]
pub extern "C" fn toehold_peer_interface() -> i32 {
    INTERFACE
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_create(settings: *const Settings) -> *mut Host {
    let settings = unsafe { &*settings };
    let host = Host::new(
        settings.mac,
        settings.ip,
        settings.prefix as u8,
        settings.seed,
    );
    Box::into_raw(Box::new(host))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_destroy(peer: *mut Host) {
    drop(unsafe { Box::from_raw(peer) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_listen(peer: *mut Host, port: u16) -> i32 {
    status(unsafe { &mut *peer }.listen(port))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_connect(peer: *mut Host, ip: u32, port: u16) -> i32 {
    status(unsafe { &mut *peer }.connect(ip, port))
}

fn status(well: bool) -> i32 {
    if well { 0 } else { -1 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_put_frame(peer: *mut Host, bytes: *const u8, length: usize) {
    let frame = unsafe { slice::from_raw_parts(bytes, length) };
    unsafe { &mut *peer }.put_frame(frame);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_take_frame(
    peer: *mut Host,
    bytes: *mut u8,
    capacity: usize,
) -> usize {
    let sent = unsafe { &mut *peer }.sent();
    match sent.front() {
        Some(frame) if frame.len() <= capacity => {
            let length = frame.len();
            unsafe { slice::from_raw_parts_mut(bytes, length) }.copy_from_slice(frame);
            sent.pop_front();
            length
        }
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_poll(peer: *mut Host, now_us: u64) -> u64 {
    unsafe { &mut *peer }.poll(now_us).unwrap_or(NEVER)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_write(
    peer: *mut Host,
    bytes: *const u8,
    length: usize,
) -> usize {
    unsafe { &mut *peer }.write(unsafe { slice::from_raw_parts(bytes, length) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_read(
    peer: *mut Host,
    bytes: *mut u8,
    capacity: usize,
) -> i64 {
    let room = unsafe { slice::from_raw_parts_mut(bytes, capacity) };
    match unsafe { &mut *peer }.read(room) {
        Incoming::Bytes(taken) => taken as i64,
        Incoming::End => -1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_close(peer: *mut Host) {
    unsafe { &mut *peer }.close();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn toehold_peer_get_state(peer: *mut Host) -> HostState {
    unsafe { &mut *peer }.state()
}
