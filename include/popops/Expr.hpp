// SPDX-License-Identifier: MIT
/* Expressions: values that carry the text which tilewright/poplibs/popops.h explains. */
#ifndef POPOPS_EXPR_HPP
#define POPOPS_EXPR_HPP

#include <cmath>
#include <cstdio>
#include <memory>
#include <ostream>
#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>
#include <string>
#include <type_traits>

namespace popops {
namespace expr {

class Expr {
  public:
    virtual ~Expr() = default;
    /* As the call of C takes it. */
    const std::string &text() const { return what; }
    /* The same with the type that a number has in C++. */
    virtual std::string statedText() const { return what; }
    virtual bool isNumber() const { return false; }
    std::unique_ptr<Expr> clone() const { return std::unique_ptr<Expr>(new Expr(*this)); }
    bool deepEquals(const Expr &other) const { return what == other.what; }
    void print(std::ostream &out, unsigned = 0, bool = true) const { out << what; }

  protected:
    explicit Expr(std::string t) : what(std::move(t)) {}
    std::string what;
};

/* Any expression. */
class Any : public Expr {
  public:
    Any(const Expr &e) : Expr(e.text()) {}
};

class PlaceHolder : public Expr {
  public:
    explicit PlaceHolder(unsigned i) : Expr("_" + std::to_string(i)), index(i) {}
    unsigned getIndex() const { return index; }

  private:
    unsigned index;
};
static const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10), _11(11), _12(12),
    _13(13), _14(14), _15(15), _16(16), _17(17), _18(18), _19(19), _20(20);

/* A number; its type is that of what stands on the other side. */
class Const : public Expr {
  public:
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    Const(T v)
        : Expr(numberText(v)), suffix(std::is_same<T, bool>::value       ? ""
                                      : std::is_floating_point<T>::value ? "f"
                                      : std::is_signed<T>::value         ? "i"
                                                                         : "u")
    {
    }
    std::string statedText() const override { return what + suffix; }
    bool isNumber() const override { return true; }

  protected:
    Const(float v, const char *s) : Expr(numberText(v)), suffix(s) {}

  private:
    static std::string numberText(bool v) { return v ? "true" : "false"; }
    template <class T> static typename std::enable_if<std::is_integral<T>::value, std::string>::type numberText(T v)
    {
        return std::to_string(v);
    }
    template <class T>
    static typename std::enable_if<std::is_floating_point<T>::value, std::string>::type numberText(T v)
    {
        char text[64];
        double d = static_cast<double>(v);
        if (std::isnan(d)) return "nan";
        if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
        std::snprintf(text, sizeof text, "%.17g", d);
        std::string s = text;
        return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
    }
    const char *suffix;
};
class ConstHalf : public Const {
  public:
    ConstHalf(float v) : Const(v, "h") { what += "h"; }
    std::string statedText() const override { return what; }
};
inline ConstHalf operator"" _half(long double v)
{
    return ConstHalf(static_cast<float>(v));
}

class Cast : public Expr {
  public:
    Cast(const Expr &e, const poplar::Type &type) : Expr("cast(" + e.text() + ", " + type.toString() + ")") {}
};

class UnaryOp : public Expr {
  public:
    UnaryOp(UnaryOpType op, const Expr &a) : Expr(std::string(nameOf(op)) + "(" + a.text() + ")") {}
};
class BinaryOp : public Expr {
  public:
    BinaryOp(BinaryOpType op, const Expr &a, const Expr &b)
        : Expr(std::string(nameOf(op)) + "(" + a.text() + ", " + b.text() + ")")
    {
    }
};
/* Two numbers to choose from have their own types. */
class TernaryOp : public Expr {
  public:
    TernaryOp(TernaryOpType op, const Expr &a, const Expr &b, const Expr &c)
        : Expr(std::string(nameOf(op)) + "(" + (stated(op, a, b) ? a.statedText() : a.text()) + ", " +
               (stated(op, a, b) ? b.statedText() : b.text()) + ", " + c.text() + ")")
    {
    }

  private:
    static bool stated(TernaryOpType op, const Expr &a, const Expr &b)
    {
        return op == TernaryOpType::SELECT && a.isNumber() && b.isNumber();
    }
};

#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer) \
    class Class : public UnaryOp {                                                     \
      public:                                                                          \
        explicit Class(const Expr &a) : UnaryOp(UnaryOpType::ENUM, a) {}               \
    };
TW_EXPR_UNARY(TW__ROW)
#undef TW__ROW
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer) \
    class Class : public BinaryOp {                                                    \
      public:                                                                          \
        Class(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::ENUM, a, b) {}    \
    };
TW_EXPR_BINARY(TW__ROW)
#undef TW__ROW
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer)                  \
    class Class : public TernaryOp {                                                                    \
      public:                                                                                           \
        Class(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::ENUM, a, b, c) {} \
    };
TW_EXPR_TERNARY(TW__ROW)
#undef TW__ROW

#define TW__OPERATOR(Class, symbol)                                                                        \
    inline Class operator symbol(const Expr &a, const Expr &b)                                             \
    {                                                                                                      \
        return Class(a, b);                                                                                \
    }                                                                                                      \
    template <class T>                                                                                     \
    typename std::enable_if<std::is_arithmetic<T>::value, Class>::type operator symbol(const Expr &a, T b) \
    {                                                                                                      \
        return Class(a, Const(b));                                                                         \
    }                                                                                                      \
    template <class T>                                                                                     \
    typename std::enable_if<std::is_arithmetic<T>::value, Class>::type operator symbol(T a, const Expr &b) \
    {                                                                                                      \
        return Class(Const(a), b);                                                                         \
    }
TW__OPERATOR(Add, +)
TW__OPERATOR(Sub, -)
TW__OPERATOR(Mul, *)
TW__OPERATOR(Divide, /)
TW__OPERATOR(Rem, %)
TW__OPERATOR(BitwiseAnd, &)
TW__OPERATOR(BitwiseOr, |)
TW__OPERATOR(BitwiseXor, ^)
TW__OPERATOR(And, &&)
TW__OPERATOR(Or, ||)
TW__OPERATOR(Equal, ==)
TW__OPERATOR(NotEqual, !=)
TW__OPERATOR(Gt, >)
TW__OPERATOR(Gte, >=)
TW__OPERATOR(Lt, <)
TW__OPERATOR(Lte, <=)
TW__OPERATOR(Shl, <<)
TW__OPERATOR(Shr, >>)
#undef TW__OPERATOR
inline Neg operator-(const Expr &a)
{
    return Neg(a);
}
inline Not operator!(const Expr &a)
{
    return Not(a);
}
inline BitwiseNot operator~(const Expr &a)
{
    return BitwiseNot(a);
}

} // namespace expr
} // namespace popops
#endif
