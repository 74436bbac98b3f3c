// SPDX-License-Identifier: Apache-2.0
// Forwarder: sends what is in the mailbox to the agent's unix datagram socket.
//
// One datagram an event while the agent keeps up. While it does not, counts grow here and go out as
// one datagram each when there is room: nothing is queued, nothing is lost, nobody waits. While
// nobody listens events are forgotten; a new listener gets a full pass instead. Not thread-safe.
#pragma once

#include <string>
#include <utility>

#include "cmd/cri-event-broker/event_mailbox.h"
#include "controllers/readinessgate/events/runtime_event_message.h"

namespace cmd::cri_event_broker {

class Forwarder {
 public:
  Forwarder(EventMailbox& mailbox, std::string path) : mailbox_(mailbox), path_(std::move(path)) {}
  ~Forwarder() { Disconnect(); }
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  // Until the mailbox is stopped.
  void Run();

  enum class State {
    kIdle,        // all is sent
    kBehind,      // the agent's queue is full; the rest waits here
    kNoReceiver,  // nobody listens at the path; tried again at the next heartbeat
    kStopped,
  };
  // Takes what is in the mailbox and sends what can be sent. Never blocks.
  State Pump();

 private:
  bool Connect();
  void Disconnect();
  State SendPending();
  enum class Sent { kYes, kFull, kNoReceiver };
  Sent Send(const controllers::readinessgate::RuntimeEvent& event) const;
  // Sends `count` as few datagrams, and takes off what was sent.
  Sent SendCount(controllers::readinessgate::RuntimeEventType type, std::uint64_t& count) const;
  // Tells a change of who listens, once.
  void TellReceiver(bool here);

  EventMailbox& mailbox_;
  const std::string path_;
  int socket_ = -1;
  bool told_ = false;
  bool told_here_ = false;
  EventMailbox::Batch pending_;
};

}  // namespace cmd::cri_event_broker
