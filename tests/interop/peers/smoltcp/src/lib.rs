// SPDX-License-Identifier: Apache-2.0

//! smoltcp behind the C interface of peer.h.

mod c_interface;
mod host;
