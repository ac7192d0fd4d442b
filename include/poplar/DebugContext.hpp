// SPDX-License-Identifier: MIT
/* Names of operations, for messages and profiles: path names, and the information that libraries record. */
#ifndef POPLAR_DEBUG_CONTEXT_HPP
#define POPLAR_DEBUG_CONTEXT_HPP

#include <cstdint>
#include <memory>
#include <ostream>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <string>

#if defined(__GNUC__) && (!defined(__clang__) || __clang_major__ >= 9)
#define SUPPORTS_LOCATION_BUILTINS 1
#endif

namespace poplar {

using DebugId = std::uint64_t;
class DebugInfo;

/* The line of the caller, where the compiler tells it. */
class SourceLocation {
  public:
    SourceLocation() = default;
    SourceLocation(const char *f, const char *n, unsigned l) : function(f), file(n), line(l) {}
#ifdef SUPPORTS_LOCATION_BUILTINS
    static SourceLocation Current(const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
                                  unsigned line = __builtin_LINE())
    {
        return SourceLocation(function, file, line);
    }
#else
    static SourceLocation Current() { return SourceLocation(); }
#endif
    std::string getFunctionName() const { return function ? function : ""; }
    std::string getFileName() const { return file ? file : ""; }
    unsigned getLineNumber() const { return line; }
    bool isValid() const { return file != nullptr; }

  private:
    const char *function = nullptr, *file = nullptr; /* of the program, which outlives them */
    unsigned line = 0;
};

/* A name below a path, and the information it belongs to. */
class DebugNameAndId {
  public:
    DebugNameAndId(std::string name = "", DebugId id = {}, std::string parentPath = "");
    DebugNameAndId(const char *name);
    DebugNameAndId(DebugId id);
    DebugNameAndId(const DebugInfo &info, std::string name = "");
    DebugNameAndId(const DebugNameAndId &parent, StringRef name);
    /* Path and name with '/' between them. */
    std::string getPathName() const;
    DebugId getId() const { return id; }

  private:
    std::string name, parentPath;
    DebugId id;
};
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &what);

/* What a call is told of its caller. */
class DebugContext {
  public:
    DebugContext(SourceLocation where = SourceLocation::Current());
    DebugContext(const char *name, SourceLocation where = SourceLocation::Current());
    DebugContext(StringRef name, SourceLocation where = SourceLocation::Current());
    DebugContext(std::string name, SourceLocation where = SourceLocation::Current());
    DebugContext(const DebugInfo &info, std::string name = "", SourceLocation where = SourceLocation::Current());
    DebugContext(const DebugNameAndId &parent, std::string name = "",
                 SourceLocation where = SourceLocation::Current());
    DebugContext(DebugId id, std::string name = "");
    DebugContext(const DebugContext &parent, StringRef name);
    DebugContext(const DebugContext &) = default;
    DebugContext(DebugContext &&) = default;
    DebugContext &operator=(const DebugContext &) = default;
    std::string getPathName() const;
    DebugId getId() const { return id; }
    const SourceLocation &getLocation() const { return location; }

  private:
    std::string parentPath, name;
    DebugId id;
    SourceLocation location;
};
std::ostream &operator<<(std::ostream &out, const DebugContext &what);

enum class DebugSerializationFormat { JSON, CBOR };

/* The record of one operation: who asked for it and with what. Written when a streamer is open. */
class DebugInfo {
  public:
    DebugInfo(const DebugContext &context, std::string layer);
    DebugInfo(const DebugInfo &) = delete;
    DebugInfo &operator=(const DebugInfo &) = delete;
    virtual ~DebugInfo();
    DebugId getId() const { return id; }
    std::string getPathName() const { return path; }
    /* Adds a member to the record; false when there is one of that name. */
    bool setValue(std::string name, ProfileValue value);

    /* From now on records go to `file`; closeStreamer() finishes it. One file at a time. */
    static void initializeStreamer(const std::string &file,
                                   const DebugSerializationFormat &format = DebugSerializationFormat::CBOR);
    static void closeStreamer();

  private:
    DebugId id, parent;
    std::string path, layer;
    SourceLocation location;
    ProfileValue::Map values;
};

} // namespace poplar
#endif
