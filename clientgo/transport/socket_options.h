// SPDX-License-Identifier: Apache-2.0
// How a dead peer is noticed without a byte from it: HTTP/1.1 has no ping. Mirrors the intent of
// client-go's HTTP/2 health check (45 s); this one needs about 11 s.
#pragma once

namespace clientgo::transport {

// Keepalive probes after 5 s of silence, every 2 s, 3 of them; unacknowledged data gives up after
// 11 s. Errors are ignored: the connection works without.
void EnableDeadPeerDetection(int fd);

}  // namespace clientgo::transport
