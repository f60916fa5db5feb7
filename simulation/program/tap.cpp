// SPDX-License-Identifier: Apache-2.0

#include "program/tap.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace toehold {

namespace {

constexpr std::size_t kLongestFrame = 65536;

std::runtime_error failure(const std::string& what) {
  return std::runtime_error(what + ": " + std::strerror(errno));
}

void set_non_blocking(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) {
    throw failure("cannot set up the TAP descriptor");
  }
}

}  // namespace

Tap Tap::open(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ) {
    throw std::runtime_error("a TAP interface needs a name of 1 to 15 characters");
  }
  Tap tap(::open("/dev/net/tun", O_RDWR | O_CLOEXEC), name);
  if (tap.descriptor_ < 0) throw failure("cannot open /dev/net/tun");

  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::memcpy(request.ifr_name, name.c_str(), name.size());
  if (ioctl(tap.descriptor_, TUNSETIFF, &request) < 0) {
    throw failure("cannot attach to the TAP interface " + name);
  }
  set_non_blocking(tap.descriptor_);
  return tap;
}

Tap Tap::adopt(int descriptor) {
  Tap tap(descriptor, "");
  ifreq request{};
  if (ioctl(descriptor, TUNGETIFF, &request) < 0) {
    throw failure("descriptor " + std::to_string(descriptor) + " is not a TAP interface");
  }
  tap.name_ = request.ifr_name;
  set_non_blocking(descriptor);
  return tap;
}

Tap::Tap(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), buffer_(kLongestFrame) {}

Tap::Tap(Tap&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)) {}

Tap::~Tap() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Tap::receive(Frame& frame) {
  const ssize_t length = read(descriptor_, buffer_.data(), buffer_.size());
  if (length < 0) {
    // EBADFD: the interface was taken down or deleted under us; it may come back up.
    if (errno == EAGAIN || errno == EINTR || errno == EIO || errno == EBADFD) return false;
    throw failure("cannot read from the TAP interface " + name_);
  }
  frame.bytes.assign(buffer_.begin(), buffer_.begin() + length);
  if (frame.bytes.size() < kMinimumFrameBytes) frame.bytes.resize(kMinimumFrameBytes, 0);
  frame.bad_fcs = false;
  return true;
}

bool Tap::send(const Frame& frame) {
  return write(descriptor_, frame.bytes.data(), frame.bytes.size()) ==
         static_cast<ssize_t>(frame.bytes.size());
}

}  // namespace toehold
