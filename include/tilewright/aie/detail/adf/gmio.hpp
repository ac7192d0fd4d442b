// SPDX-License-Identifier: MIT
/* Memory of the host at the ports of a graph. Part of <tilewright/aie/adf.hpp>.
 *
 *     gr.in.gm2aie_nb(x, sizeof x);    // data for the kernels
 *     gr.run(4);
 *     gr.out.aie2gm_nb(y, sizeof y);   // where results go
 *     gr.out.wait();                   // until they are there
 *
 * The forms without _nb wait. run() of a graph with such ports ends when the kernels wait for data; what comes later
 * lets them go on. */
#ifndef TILEWRIGHT_ADF_GMIO_HPP
#define TILEWRIGHT_ADF_GMIO_HPP

#include <tilewright/aie/detail/adf/objects.hpp>

#include <cstdlib>

namespace adf {

enum return_code { ok = 0, user_error, aietools_error, xrt_error, internal_error, unsupported };

namespace detail {
/* What a port of memory asks its graph for; adf.hpp defines them. */
return_code build_for_port(const node_ref &n);
return_code build_for_counter(const node_ref &n); /* ... or of a file */
bool is_built(const node_ref &n);                 /* and has not gone since */
return_code go_on(const node_ref &n);             /* the kernels run as far as they can */
std::string why_pending(const node_ref &n);       /* who waits for what; "": the run has ended */
/* Programs may ignore what a call returns: `tilewright aie run` asks for the messages in a file, too. */
inline return_code complain(const std::string &message)
{
    std::fprintf(stderr, "graph: %s\n", message.c_str());
    const char *path = std::getenv("TW_AIE_ERRORS");
    if (std::FILE *file = path ? std::fopen(path, "a") : nullptr) {
        std::fprintf(file, "%s\n", message.c_str());
        std::fclose(file);
    }
    return user_error;
}
inline node_ref new_memory(node_kind what, std::string name)
{
    node_ref n = new_file(what, std::move(name), 32, "");
    n->medium = media::memory;
    return n;
}
inline return_code send(const node_ref &n, const void *data, size_t bytes)
{
    if (return_code bad = build_for_port(n)) return bad;
    if (tw_aie_array_send(n->array, n->memory, data, bytes) != TW_OK) return complain(tw_error_message());
    return go_on(n);
}
/* Results go to `data` when they have come; land() says what is missing. */
inline return_code receive(const node_ref &n, void *data, size_t bytes)
{
    if (return_code bad = build_for_port(n)) return bad;
    n->landings.push_back({ static_cast<char *>(data), bytes });
    return go_on(n);
}
inline return_code land(const node_ref &n)
{
    if (return_code bad = build_for_port(n)) return bad;
    if (return_code bad = go_on(n)) return bad;
    if (n->landings.empty()) return ok;
    const std::string why = why_pending(n);
    return complain("'" + n->name + "': the kernels have made " + std::to_string(n->landings.front().bytes) +
                    " bytes less than aie2gm() asks for" + (why.empty() ? "" : ": " + why));
}
} // namespace detail

class input_gmio : public IoAttr {
  public:
    port_list out;
    /* The length of a burst and the bandwidth change no result. */
    static input_gmio create(std::string name, size_t = 64, size_t = 0)
    {
        input_gmio g;
        g.node = detail::new_memory(detail::node_kind::input, std::move(name));
        g.out = port_list(g.node, detail::direction::out);
        return g;
    }
    static input_gmio create(size_t burst, size_t bandwidth) { return create("gmio", burst, bandwidth); }
    return_code gm2aie_nb(const void *data, size_t bytes) { return detail::send(node, data, bytes); }
    return_code gm2aie(const void *data, size_t bytes) { return gm2aie_nb(data, bytes); }
    return_code wait() { return ok; } /* data is copied when it is sent */
};

class output_gmio : public IoAttr {
  public:
    port_list in;
    static output_gmio create(std::string name, size_t = 64, size_t = 0)
    {
        output_gmio g;
        g.node = detail::new_memory(detail::node_kind::output, std::move(name));
        g.in = port_list(g.node, detail::direction::in);
        return g;
    }
    static output_gmio create(size_t burst, size_t bandwidth) { return create("gmio", burst, bandwidth); }
    return_code aie2gm_nb(void *data, size_t bytes) { return detail::receive(node, data, bytes); }
    return_code aie2gm(void *data, size_t bytes)
    {
        return_code bad = aie2gm_nb(data, bytes);
        return bad ? bad : wait();
    }
    return_code wait() { return detail::land(node); }
};

} // namespace adf

#endif
