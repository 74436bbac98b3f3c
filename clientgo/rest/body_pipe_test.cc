// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/body_pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace clientgo::rest {
namespace {

using WriteResult = BodyPipe::WriteResult;
using util::ErrorReason;

// A pipe of 8 bytes that records how its writer was resumed.
struct Fixture {
  std::vector<bool> resumed = {};
  BodyPipe pipe{[this](bool taken) { resumed.push_back(taken); }, 8};
  std::stop_source stop = {};

  std::string Read() {
    auto bytes = pipe.Read(stop.get_token());
    return bytes ? std::string(*bytes) : "error: " + std::string(ToString(bytes.error().reason));
  }
};

TEST(BodyPipeTest, JoinsSmallChunksIntoOneRead) {
  Fixture f;

  EXPECT_EQ(f.pipe.Write("ab"), WriteResult::kTaken);
  EXPECT_EQ(f.pipe.Write("cd"), WriteResult::kTaken);

  EXPECT_EQ(f.Read(), "abcd");
}

TEST(BodyPipeTest, ChunkThatDoesNotFitWaitsForTheReader) {
  Fixture f;
  ASSERT_EQ(f.pipe.Write("abcdef"), WriteResult::kTaken);

  ASSERT_EQ(f.pipe.Write("ghi"), WriteResult::kPending);

  EXPECT_EQ(f.Read(), "abcdef");
  EXPECT_EQ(f.Read(), "ghi");
  EXPECT_TRUE(f.resumed.empty()) << "resumed while the reader still looks at the chunk";
  f.pipe.End();
  EXPECT_EQ(f.Read(), "");
  EXPECT_THAT(f.resumed, ::testing::ElementsAre(true));
}

TEST(BodyPipeTest, ChunkLargerThanTheBufferIsReadWhereItLies) {
  Fixture f;
  const std::string chunk(1000, 'x');

  ASSERT_EQ(f.pipe.Write(chunk), WriteResult::kPending);
  auto bytes = f.pipe.Read(f.stop.get_token());

  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->data(), chunk.data());
  EXPECT_EQ(bytes->size(), chunk.size());
}

TEST(BodyPipeTest, EndsAndFailsOnlyAfterTheData) {
  Fixture ended;
  ASSERT_EQ(ended.pipe.Write("ab"), WriteResult::kTaken);
  ended.pipe.End();
  EXPECT_EQ(ended.Read(), "ab");
  EXPECT_EQ(ended.Read(), "");
  EXPECT_EQ(ended.Read(), "") << "the end stays the end";

  Fixture failed;
  ASSERT_EQ(failed.pipe.Write("ab"), WriteResult::kTaken);
  failed.pipe.Fail({.reason = ErrorReason::kUnexpectedEof, .message = "reset"});
  EXPECT_EQ(failed.Read(), "ab");
  EXPECT_EQ(failed.Read(), "error: UnexpectedEOF");
}

TEST(BodyPipeTest, CancelWhilePendingResumesTheWriterAtOnce) {
  Fixture f;
  ASSERT_EQ(f.pipe.Write("longer than eight"), WriteResult::kPending);

  f.pipe.Cancel();

  EXPECT_THAT(f.resumed, ::testing::ElementsAre(false));
  EXPECT_EQ(f.Read(), "error: Canceled");
  EXPECT_EQ(f.pipe.Write("x"), WriteResult::kClosed);
}

TEST(BodyPipeTest, CancelDoesNotTakeTheChunkFromUnderTheReader) {
  Fixture f;
  const std::string chunk = "longer than eight";
  ASSERT_EQ(f.pipe.Write(chunk), WriteResult::kPending);
  auto bytes = f.pipe.Read(f.stop.get_token());
  ASSERT_TRUE(bytes.has_value());

  f.pipe.Cancel();
  EXPECT_TRUE(f.resumed.empty());

  EXPECT_EQ(f.Read(), "error: Canceled");
  EXPECT_THAT(f.resumed, ::testing::ElementsAre(false));
}

TEST(BodyPipeTest, CloseGivesBackTheChunkThatTheReaderHolds) {
  Fixture f;
  ASSERT_EQ(f.pipe.Write("longer than eight"), WriteResult::kPending);
  ASSERT_TRUE(f.pipe.Read(f.stop.get_token()).has_value());

  f.pipe.Close();

  EXPECT_THAT(f.resumed, ::testing::ElementsAre(false));
}

TEST(BodyPipeTest, StopWakesABlockedReader) {
  Fixture f;
  auto read = std::async(std::launch::async, [&] { return f.Read(); });

  f.stop.request_stop();

  EXPECT_EQ(read.get(), "error: Canceled");
}

TEST(BodyPipeTest, StopWinsOverDataThatIsThere) {
  Fixture f;
  ASSERT_EQ(f.pipe.Write("ab"), WriteResult::kTaken);

  f.stop.request_stop();

  EXPECT_EQ(f.Read(), "error: Canceled");
}

TEST(BodyPipeTest, KeepsNoMemoryWhileIdle) {
  Fixture f;
  BodyPipe pipe([](bool) {});
  ASSERT_EQ(pipe.Write(std::string(20000, 'x')), WriteResult::kTaken);
  ASSERT_TRUE(pipe.Read(f.stop.get_token()).has_value());
  ASSERT_GE(pipe.memory_bytes(), 20000U);

  f.stop.request_stop();  // the read below finds nothing, tidies up, and returns
  ASSERT_FALSE(pipe.Read(f.stop.get_token()).has_value());

  EXPECT_LT(pipe.memory_bytes(), 100U);
}

// The writer behaves as the transport does: one thread, a pending chunk stays alive until resumed.
TEST(BodyPipeTest, ManyChunksOfAllSizesArriveInOrderThroughASmallPipe) {
  util::Mutex mu;
  util::CondVar resumed;
  int resumes = 0;
  BodyPipe pipe(
      [&](bool) {
        util::MutexLock lock(mu);
        ++resumes;
        resumed.NotifyOne();
      },
      16);
  std::string sent;
  for (int i = 0; i < 20000; ++i) sent.append(std::to_string(i));
  std::thread writer([&] {
    std::string_view rest = sent;
    for (std::size_t i = 0; !rest.empty(); ++i) {
      const std::string chunk(rest.substr(0, 1 + i % 40));
      rest.remove_prefix(chunk.size());
      if (pipe.Write(chunk) != WriteResult::kPending) continue;
      util::MutexLock lock(mu);
      resumed.Wait(mu, [&] { return resumes > 0; });
      --resumes;
    }
    pipe.End();
  });

  std::string received;
  for (;;) {
    auto bytes = pipe.Read(std::stop_token());
    ASSERT_TRUE(bytes.has_value());
    if (bytes->empty()) break;
    received.append(*bytes);
  }
  writer.join();

  EXPECT_TRUE(received == sent);
}

}  // namespace
}  // namespace clientgo::rest
