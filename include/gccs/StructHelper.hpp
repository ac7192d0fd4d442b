// SPDX-License-Identifier: MIT
/* Comparisons of structs by a list of their members: makeStructHelper(&S::a, &S::b).lt(x, y). */
#ifndef GCCS_STRUCT_HELPER_HPP
#define GCCS_STRUCT_HELPER_HPP

namespace gccs {

template <class... Members> class StructHelper;

template <> class StructHelper<> {
  public:
    template <class S> constexpr bool lt(const S &, const S &) const { return false; }
    template <class S> constexpr bool eq(const S &, const S &) const { return true; }
};
template <class First, class... Rest> class StructHelper<First, Rest...> {
    First first;
    StructHelper<Rest...> rest;

  public:
    constexpr explicit StructHelper(First f, Rest... r) : first(f), rest(r...) {}
    /* The first member that differs decides. */
    template <class S> constexpr bool lt(const S &a, const S &b) const
    {
        return a.*first < b.*first || (!(b.*first < a.*first) && rest.lt(a, b));
    }
    template <class S> constexpr bool eq(const S &a, const S &b) const
    {
        return a.*first == b.*first && rest.eq(a, b);
    }
};

#if __cplusplus >= 201703L
template <class... Members> StructHelper(Members...) -> StructHelper<Members...>;
#endif

template <class... Members> constexpr StructHelper<Members...> makeStructHelper(Members... members)
{
    return StructHelper<Members...>(members...);
}

} // namespace gccs
#endif
