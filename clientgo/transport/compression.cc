// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/compression.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <utility>

#include "clientgo/transport/host_address.h"

namespace capstan::transport {
namespace {

constexpr std::size_t kReadBytesMax = std::size_t{16} * 1024;
constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib: the largest window, and a gzip header

// Inflater decodes one gzip member after the other. zlib checks the sum and the size of each.
class Inflater {
 public:
  Inflater() = default;
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Call it once, first. Returns false when there is no memory.
  bool Open() { return inflateInit2(&stream_, kGzipWindow) == Z_OK; }

  // Decodes `input`, as far as the output has room, and removes what it has decoded. Returns the
  // decoded bytes, which are valid until the next call. An error follows the bytes before it, in
  // the next call.
  Expected<std::string_view> Decode(std::string_view& input) {
    if (corrupt_) return Corrupt();
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    do {
      if (ended_) inflateReset(&stream_);
      // zlib does not write to its input.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      stream_.avail_in = static_cast<uInt>(input.size());
      const int code = inflate(&stream_, Z_NO_FLUSH);
      input.remove_prefix(input.size() - stream_.avail_in);
      ended_ = code == Z_STREAM_END;
      // Z_BUF_ERROR: there was nothing to do.
      corrupt_ = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    } while (ended_ && !input.empty() && stream_.avail_out > 0);
    const std::size_t size = output_.size() - stream_.avail_out;
    if (corrupt_ && size == 0) return Corrupt();
    return std::string_view(output_.data(), size);
  }

  // Reports whether the last call reached the end of a member.
  bool ended() const { return ended_; }
  // Reports whether Decode may return bytes or an error without more input.
  bool pending() const { return corrupt_ || (!ended_ && stream_.avail_out == 0); }

 private:
  tl::unexpected<Error> Corrupt() const {
    const std::string why = stream_.msg != nullptr ? stream_.msg : "unknown error";
    return Err(ErrorReason::kDecode, "corrupt gzip body: " + why);
  }

  z_stream stream_ = {};
  bool ended_ = false;
  bool corrupt_ = false;
  std::array<char, kReadBytesMax> output_;
};

class GzipResponse final : public HttpResponse {
 public:
  GzipResponse(std::unique_ptr<HttpResponse> encoded, std::string server)
      : encoded_(std::move(encoded)), server_(std::move(server)) {}

  int status() const override { return encoded_->status(); }
  const Headers& headers() const override { return encoded_->headers(); }
  using HttpResponse::Read;

  Expected<std::string_view> Read(Clock::Duration max_silence) override {
    if (next_) return *std::exchange(next_, std::nullopt);
    for (;;) {
      if (auto decoded = DecodeReceived()) return *decoded;
      if (auto end = Receive(max_silence)) return *end;
    }
  }

  bool CanSuspend() const override { return encoded_->CanSuspend(); }
  std::optional<Clock::TimePoint> Suspend(Waker& waker) override {
    for (;;) {
      if (!next_) next_ = DecodeReceived();
      if (next_) return std::nullopt;
      if (auto until = encoded_->Suspend(waker)) return until;
      next_ = Receive(Clock::Duration::max());  // it returns at once
    }
  }

 private:
  using Bytes = Expected<std::string_view>;

  // Returns decoded bytes, or the error after them. Returns nullopt if more input is needed first.
  std::optional<Bytes> DecodeReceived() {
    if (error_) return Bytes(Err(*error_));
    while (!input_.empty() || (inflater_ && inflater_->pending())) {
      auto decoded = Decode();
      if (!decoded) return Bytes(Fail(decoded.error().reason, decoded.error().message));
      if (!decoded->empty()) return decoded;
    }
    if (inflater_ && inflater_->ended()) inflater_.reset();
    return std::nullopt;
  }

  // Waits for input. Returns the end of the body, or the error that ends it, and nullopt otherwise.
  std::optional<Bytes> Receive(Clock::Duration max_silence) {
    auto bytes = encoded_->Read(max_silence);
    if (!bytes || (bytes->empty() && !inflater_)) return bytes;
    if (bytes->empty()) {
      return Bytes(Fail(ErrorReason::kUnexpectedEof, "unexpected EOF in the gzip body"));
    }
    input_ = *bytes;
    return std::nullopt;
  }

  Expected<std::string_view> Decode() {
    if (!inflater_) {
      inflater_ = std::make_unique_for_overwrite<Inflater>();
      if (!inflater_->Open()) return Err(ErrorReason::kDecode, "no memory for the gzip body");
    }
    return inflater_->Decode(input_);
  }

  tl::unexpected<Error> Fail(ErrorReason reason, const std::string& what) {
    error_ = Error{.reason = reason, .message = server_ + ": " + what};
    inflater_.reset();
    return tl::unexpected(*error_);
  }

  const std::unique_ptr<HttpResponse> encoded_;
  const std::string server_;
  std::string_view input_;              // received and not decoded yet
  std::unique_ptr<Inflater> inflater_;  // null between two members while there is no input
  std::optional<Bytes> next_;           // what Suspend has found for Read
  std::optional<Error> error_;
};

}  // namespace

std::string_view AcceptEncoding(Compression allowed, const std::optional<Endpoint>& peer,
                                bool proxied) {
  constexpr std::string_view kIdentity = "identity";
  constexpr std::string_view kGzip = "gzip";
  if (allowed != Compression::kAuto) return allowed == Compression::kOn ? kGzip : kIdentity;
  const bool remote = proxied || (peer && !IsOnThisHost(*peer));
  return remote ? kGzip : kIdentity;
}

Expected<void> CheckEncoding(const Headers& headers, Compression allowed,
                             const std::string& server) {
  const auto encoding = FindHeader(headers, "Content-Encoding");
  if (encoding.empty() || encoding == "identity") return {};
  if (encoding == "gzip" && allowed != Compression::kOff) return {};
  return Err(ErrorReason::kTransport, server + ": the response is encoded as " +
                                          std::string(encoding) + ", which was not requested");
}

std::unique_ptr<HttpResponse> DecodeBody(std::unique_ptr<HttpResponse> response,
                                         const std::string& server) {
  if (FindHeader(response->headers(), "Content-Encoding") != "gzip") return response;
  return std::make_unique<GzipResponse>(std::move(response), server);
}

}  // namespace capstan::transport
