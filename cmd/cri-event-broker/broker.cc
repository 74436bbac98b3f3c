// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/broker.h"

#include <chrono>
#include <thread>
#include <utility>

#include "clientgo/util/thread.h"
#include "cmd/cri-event-broker/event_mailbox.h"
#include "cmd/cri-event-broker/forwarder.h"

namespace cmd::cri_event_broker {

void RunBroker(std::stop_token stop, clientgo::util::Clock& clock, BrokerOptions options) {
  EventMailbox mailbox;
  RuntimeReader reader(clock, mailbox, std::move(options.reader));
  Forwarder forwarder(mailbox, std::move(options.socket));
  const std::jthread reading = clientgo::util::StartThread(
      "cri-reader", [&reader](const std::stop_token& done) { reader.Run(done); });
  const std::jthread ticking =
      clientgo::util::StartThread("cri-ticker", [&](const std::stop_token& done) {
        do mailbox.AddHeartbeat(reader.Tick());
        while (clock.SleepFor(done, std::chrono::seconds(1)));
      });
  const std::stop_callback stopped(std::move(stop), [&mailbox] { mailbox.Stop(); });
  forwarder.Run();
}

}  // namespace cmd::cri_event_broker
