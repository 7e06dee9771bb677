#include "cases/arrow.hpp"

#include <stdexcept>
#include <string>

namespace nearwise {

ArrowTexts::ArrowTexts(ArrowArrayStream* stream) : stream_(*stream) {
  stream->release = nullptr;  // moved
  const auto fail = [this](const std::string& why) {
    for (ArrowArray& chunk : chunks_) chunk.release(&chunk);
    stream_.release(&stream_);
    throw std::invalid_argument(why);
  };
  ArrowSchema schema{};
  if (stream_.get_schema(&stream_, &schema) != 0) fail("the stream does not tell its schema.");
  const std::string format = schema.dictionary == nullptr ? schema.format : "a dictionary";
  schema.release(&schema);
  if (format != "u" && format != "U" && format != "vu") fail("the stream must hold texts, got " + format + ".");
  layout_ = format == "u" ? Layout::small : format == "U" ? Layout::large : Layout::views;
  for (;;) {
    ArrowArray chunk{};
    if (stream_.get_next(&stream_, &chunk) != 0) fail("the stream breaks off.");
    if (chunk.release == nullptr) break;
    chunks_.push_back(chunk);
    size_ += chunk.length;
  }
}

ArrowTexts::~ArrowTexts() {
  for (ArrowArray& chunk : chunks_) chunk.release(&chunk);
  stream_.release(&stream_);
}

}  // namespace nearwise
