// SPDX-License-Identifier: MIT
/* Executables: files of the C API behind C++ streams. */
#include "core.hpp"

#include <cstdio>
#include <iterator>

namespace poplar {

void Executable::serialize(std::ostream &out) const
{
    if (!compiled) throw poplar_error("Executable::serialize: the executable is empty");
    FILE *stream = core::streamTo(out);
    if (!stream) core::raise(TW_E_NO_MEMORY, "Executable::serialize", "no memory for a stream");
    tw_status status = tw_engine_serialize(compiled->engine, stream);
    if (fclose(stream) != 0 && status == TW_OK)
        core::raise(TW_E_IO, "Executable::serialize", "the executable could not be written");
    core::check(status, "Executable::serialize");
}

std::shared_ptr<core::Compiled> core::compiledFrom(std::istream &in, const OptionFlags &options, const char *call)
{
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const handles::OptionList list(options);
    auto compiled = std::make_shared<Compiled>();
    compiled->options = options;
    compiled->engine = tw_engine_deserialize(bytes.data(), bytes.size(), list.data());
    core::check(tw_status_of(compiled->engine), call);
    tw_engine_set_stored_halves(compiled->engine, true);
    return compiled;
}

Executable Executable::deserialize(std::istream &in)
{
    return Executable(core::compiledFrom(in, {}, "Executable::deserialize"));
}
Executable Executable::deserialize(std::unique_ptr<std::istream> in)
{
    if (!in) core::raise(TW_E_FILE_LOAD, "Executable::deserialize", "there is no stream");
    return deserialize(*in);
}

} // namespace poplar
