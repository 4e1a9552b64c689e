// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exec/arithmetic.h"

#include <QTest>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace crease;

__extension__ typedef __int128 Int128;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Vector {
    int sign = 0;
    std::int64_t quotient = 0;
    double scale = 1.0;
    std::vector<ExactTerm> terms;

    double approximation() const
    {
        double sum = 0.0;
        for (const ExactTerm& term : terms) {
            sum += term.a * term.c * term.b;
        }
        return sum / scale;
    }
};

std::vector<Vector> readVectors()
{
    std::ifstream file(CREASE_TEST_DATA "/arithmetic_vectors.txt");
    std::vector<Vector> vectors;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        Vector vector;
        std::string word;
        const auto number = [&] {
            words >> word;
            return std::strtod(word.c_str(), nullptr);
        };
        std::size_t count = 0;
        words >> vector.sign >> vector.quotient;
        vector.scale = number();
        words >> count;
        for (std::size_t i = 0; i < count; ++i) {
            ExactTerm term;
            term.a = number();
            term.b = number();
            term.c = number();
            vector.terms.push_back(term);
        }
        vectors.push_back(std::move(vector));
    }
    return vectors;
}

std::vector<std::int64_t> quantized(const std::vector<double>& x, double scale, std::int64_t zeroPoint, std::int64_t lo,
                                    std::int64_t hi, Rounding rounding = Rounding::HalfEven)
{
    std::vector<std::int64_t> codes;
    for (double value : x) {
        codes.push_back(quantizeValue(value, scale, zeroPoint, lo, hi, rounding));
        if (rounding == Rounding::HalfEven) {
            const auto single =
                quantizeValueFloat32(static_cast<float>(value), static_cast<float>(scale), zeroPoint, lo, hi);
            if (single != codes.back()) {
                return {};
            }
        }
    }
    return codes;
}

using Codes = std::vector<std::int64_t>;

} // namespace

class TestArithmetic : public QObject {
    Q_OBJECT

private slots:
    void signOfSumAgreesWithRationals()
    {
        const auto vectors = readVectors();
        QVERIFY(vectors.size() > 1500);
        int seen[3] = {0, 0, 0};
        for (const Vector& vector : vectors) {
            QCOMPARE(signOfSum(vector.terms), vector.sign);
            ++seen[vector.sign + 1];
        }
        QVERIFY(seen[0] > 100 && seen[1] > 10 && seen[2] > 100);
    }

    void roundedQuotientAgreesWithRationals()
    {
        for (const Vector& vector : readVectors()) {
            const double approximation = vector.approximation();
            if (!std::isfinite(approximation)) {
                continue;
            }
            QCOMPARE(roundedQuotient(vector.terms, vector.scale, approximation), vector.quotient);
        }
    }

    void roundedQuotientForgivesAPoorApproximationNearATie()
    {
        const ExactTerm term{2.5, 1.0, 1.0};
        QCOMPARE(roundedQuotient(std::span(&term, 1), 1.0, 2.5 + 1e-12), 2);
        const ExactTerm above{std::nextafter(2.5, 3.0), 1.0, 1.0};
        QCOMPARE(roundedQuotient(std::span(&above, 1), 1.0, 2.5 - 1e-12), 3);
        const std::vector<ExactTerm> cancelling = {{0x1p60, 0x1p60}, {7.5, 1.0}, {-0x1p60, 0x1p60}};
        QCOMPARE(roundedQuotient(cancelling, 1.0, 0.0), 8);
        QCOMPARE(roundedQuotient(cancelling, 1.0, 1e6), 8);
        QCOMPARE(roundedQuotient(cancelling, 1.0, -1e6), 8);
    }

    void roundedQuotientOfManyTerms()
    {
        const std::vector<ExactTerm> tenths(45, ExactTerm{0.1, 1.0, 1.0}); // 45 * fl(0.1) is a hair above 4.5
        QCOMPARE(roundedQuotient(tenths, 1.0, 4.5), 5);
        const std::vector<ExactTerm> eighths(36, ExactTerm{0.125, 1.0, 1.0});
        QCOMPARE(roundedQuotient(eighths, 1.0, 4.5), 4);
    }

    void roundedQuotientByAProductOfDivisors()
    {
        // 3 * 0.1 / (0.1 * 2 * 3): the product of the divisors rounds in double, the decision does not.
        const ExactTerm term{3.0, 0.1, 1.0};
        QCOMPARE(roundedQuotient(std::span(&term, 1), Divisor{0.1, 2.0, 3.0}, 0.5 + 1e-12), 0);
        const ExactTerm above{3.0, std::nextafter(0.1, 1.0), 1.0};
        QCOMPARE(roundedQuotient(std::span(&above, 1), Divisor{0.1, 2.0, 3.0}, 0.5 - 1e-12), 1);
        const ExactTerm wide{-0x1p40, 7.0, 1.0};
        QCOMPARE(roundedQuotient(std::span(&wide, 1), Divisor{1.0, 1.0, 14.0}, -0x1p39), -(std::int64_t{1} << 39));
    }

    void roundedCodeClampsAndAsksOnlyNearATie()
    {
        int asked = 0;
        const auto code = [&](double quotient, double exact) {
            return roundedCode(quotient, std::fabs(quotient), Divisor{1.0}, 3, -8, 7, [&] {
                ++asked;
                static ExactTerm term;
                term = {exact, 1.0, 1.0};
                return std::span<const ExactTerm>(&term, 1);
            });
        };
        QCOMPARE(code(1.25, 1.25), 4);
        QCOMPARE(code(100.0, 100.0), 7);
        QCOMPARE(code(-1e30, -1e30), -8);
        QCOMPARE(asked, 0);
        QCOMPARE(code(1.5, 1.5), 5);
        QCOMPARE(code(1.5, std::nextafter(1.5, 0.0)), 4);
        QCOMPARE(code(4.5, 4.5), 7);
        QCOMPARE(asked, 3);
    }

    void roundedQuotientSaturates()
    {
        const ExactTerm huge{1e300, 1e8, 1.0};
        QCOMPARE(roundedQuotient(std::span(&huge, 1), 1.0, infinity), std::int64_t{1} << 62);
        const ExactTerm low{-1e300, 1e300, 1.0};
        QCOMPARE(roundedQuotient(std::span(&low, 1), 1.0, -infinity), -(std::int64_t{1} << 62));
    }

    void roundedQuotientOfRandomIntegersAgreesWith128Bits()
    {
        std::mt19937_64 random(7);
        std::uniform_int_distribution<std::int64_t> code(-40000, 40000);
        std::uniform_int_distribution<std::int64_t> step(1, 2000);
        int ties = 0;
        for (int i = 0; i < 200000; ++i) {
            const std::int64_t a = code(random);
            const std::int64_t b = code(random);
            const std::int64_t sa = step(random);
            const std::int64_t sb = step(random);
            const std::int64_t divisor = step(random);
            const Int128 sum = static_cast<Int128>(a) * sa + static_cast<Int128>(b) * sb;
            Int128 floor = sum / divisor;
            if (sum % divisor < 0) {
                --floor;
            }
            const Int128 twice = 2 * (sum - floor * divisor);
            const bool up = twice > divisor || (twice == divisor && floor % 2 != 0);
            ties += twice == divisor ? 1 : 0;
            const auto expected = static_cast<std::int64_t>(floor + (up ? 1 : 0));
            // The scales as fractions of 2^-11 keep the quotient and exercise exponents.
            const std::vector<ExactTerm> terms = {{static_cast<double>(a), static_cast<double>(sa), 0x1p-11},
                                                  {static_cast<double>(b), static_cast<double>(sb), 0x1p-11}};
            const double scale = static_cast<double>(divisor) * 0x1p-11;
            const double approximation = (static_cast<double>(a) * (static_cast<double>(sa) * 0x1p-11 / scale)) +
                                         (static_cast<double>(b) * (static_cast<double>(sb) * 0x1p-11 / scale));
            QCOMPARE(roundedQuotient(terms, scale, approximation), expected);
        }
        QVERIFY(ties > 100);
    }

    void fixedPointMultiplierCase() // BC-40
    {
        const double sx = static_cast<double>(0.05296124517917633F);
        const double sw = static_cast<double>(0.024093778803944588F);
        const double sy = static_cast<double>(0.11484327912330627F);
        const ExactTerm term{585.0, sx, sw};
        QCOMPARE(roundedQuotient(std::span(&term, 1), sy, 585.0 * sx * sw / sy) - 126, -119);
        const ExactTerm tie{585.0, 13.0, 1.0}; // 7605 / 1170 is 6.5
        QCOMPARE(roundedQuotient(std::span(&tie, 1), 1170.0, 6.5) - 126, -120);
    }

    void halfEvenBeforeTheZeroPoint() // BC-31, 32; formats.md §1.1 and §9 rows 1 and 2
    {
        const std::vector<double> ties = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, -1e9, infinity, -infinity};
        QCOMPARE(quantized(ties, 1.0, 3, -128, 127), (Codes{3, 5, 5, 3, 1, 1, 127, -128, 127, -128}));
        QCOMPARE(quantized(ties, 1.0, 0, 0, 255), (Codes{0, 2, 2, 0, 0, 0, 255, 0, 255, 0}));
        QCOMPARE(quantized({0.25, 0.75, 1.25, 1.75}, 0.5, 0, 0, 255), (Codes{0, 2, 2, 4}));
        QCOMPARE(quantized({0.5, 1.5, 2.5, 3.5}, 1.0, 1, 0, 255), (Codes{1, 3, 3, 5}));
        QCOMPARE(quantized({-20, -8, -7.5, 6.5, 7.5, 20}, 1.0, 0, -8, 7), (Codes{-8, -8, -8, 6, 7, 7}));
        QCOMPARE(quantized({-20, -8, -1.5, 0.5, 1.5, 20}, 1.0, 0, -2, 1), (Codes{-2, -2, -2, 0, 1, 1}));
    }

    void saturatesAfterTheZeroPoint() // BC-35, 36
    {
        QCOMPARE(quantized({-129, -128, -127, 127, 128, infinity, -infinity, 1e30}, 1.0, 0, -128, 127),
                 (Codes{-128, -128, -127, 127, 127, 127, -128, 127}));
        QCOMPARE(quantized({200.0}, 1.0, -100, -128, 127), (Codes{100}));
        QCOMPARE(quantized({3e38}, 1e-30, 0, -2147483648LL, 2147483647LL), (Codes{2147483647LL}));
    }

    void oddScales() // BC-71; formats.md §1.1
    {
        QCOMPARE(quantized({-1.0, 0.0, 1.0}, static_cast<double>(1e-42F), 0, -128, 127), (Codes{-128, 0, 127}));
        QCOMPARE(quantized({-1.0, 1.0}, 0.0, 0, -128, 127), (Codes{-128, 127}));
        QCOMPARE(quantizeValue(0.0, 0.0, 0, -128, 127), -128);
        QCOMPARE(quantized({5.0}, infinity, 3, -128, 127), (Codes{3}));
        QCOMPARE(quantized({1.0, -2.0}, -1.0, 0, -128, 127), (Codes{-1, 2}));
        QCOMPARE(quantizeValue(std::nan(""), 1.0, 5, -128, 127), -128);
        QCOMPARE(quantizeValueFloat32(std::nanf(""), 1.0F, 5, 0, 255), 0);
    }

    void divisionInFloat32OrDouble()
    {
        // formats.md §0: 15 by division in float32, the quotient in double is 15.499999...
        QCOMPARE(quantizeValueFloat32(1.5499999523162842F, 0.1F, 0, -128, 127), 15);
        QCOMPARE(quantizeValue(static_cast<double>(1.5499999523162842F), static_cast<double>(0.1F), 0, -128, 127), 15);
        // Where float32 rounds the quotient onto a tie, double sees beside it.
        const float x = std::nextafterf(2.5F * 3.0F, 8.0F);
        QCOMPARE(quantizeValueFloat32(x, 3.0F, 0, -128, 127), x / 3.0F == 2.5F ? 2 : 3);
        QCOMPARE(quantizeValue(static_cast<double>(x), 3.0, 0, -128, 127), 3);
    }

    void snapsToTiesWithinNoise()
    {
        QCOMPARE(quantizeValue(2.5 + 1e-12, 1.0, 0, -128, 127), 2);
        QCOMPARE(quantizeValue(2.5 + 1e-9, 1.0, 0, -128, 127), 3);
        QCOMPARE(quantizeValue(3.5 - 1e-12, 1.0, 0, -128, 127), 4);
        QCOMPARE(quantizeValue(3.5 - 1e-9, 1.0, 0, -128, 127), 3);
        QCOMPARE(quantizeValue(3.0 - 1e-12, 1.0, 0, -128, 127, Rounding::Floor), 3);
        QCOMPARE(quantizeValue(3.0 - 1e-9, 1.0, 0, -128, 127, Rounding::Floor), 2);
        QCOMPARE(quantizeValue(3.0 + 1e-12, 1.0, 0, -128, 127, Rounding::Away), 3);
        QCOMPARE(quantizeValue(2.5 - 1e-12, 1.0, 0, -128, 127, Rounding::HalfUp), 3);
    }

    void roundings() // formats.md §3.1
    {
        const std::vector<double> x = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 9, -9, 0.25, -0.25, 0.75, -0.75};
        const auto with = [&](Rounding rounding) { return quantized(x, 1.0, 0, -8, 7, rounding); };
        QCOMPARE(with(Rounding::HalfEven), (Codes{0, 2, 2, 0, -2, -2, 7, -8, 0, 0, 1, -1}));
        QCOMPARE(with(Rounding::Floor), (Codes{0, 1, 2, -1, -2, -3, 7, -8, 0, -1, 0, -1}));
        QCOMPARE(with(Rounding::Ceil), (Codes{1, 2, 3, 0, -1, -2, 7, -8, 1, 0, 1, 0}));
        QCOMPARE(with(Rounding::Away), (Codes{1, 2, 3, -1, -2, -3, 7, -8, 1, -1, 1, -1}));
        QCOMPARE(with(Rounding::HalfAway), (Codes{1, 2, 3, -1, -2, -3, 7, -8, 0, 0, 1, -1}));
        QCOMPARE(with(Rounding::HalfUp), (Codes{1, 2, 3, 0, -1, -2, 7, -8, 0, 0, 1, -1}));
        QCOMPARE(with(Rounding::HalfDown), (Codes{0, 1, 2, 0, -1, -2, 7, -8, 0, 0, 1, -1}));
        QCOMPARE(with(Rounding::Trunc), (Codes{0, 1, 2, 0, -1, -2, 7, -8, 0, 0, 0, 0}));
        QCOMPARE(roundTo(0.49999999999999994, Rounding::HalfUp), 0.0);
        QCOMPARE(roundTo(0x1p52 + 1.0, Rounding::HalfEven), 0x1p52 + 1.0);
        QCOMPARE(roundTo(-0x1p51 - 0.5, Rounding::HalfEven), -0x1p51);
        QVERIFY(std::signbit(roundTo(-0.25, Rounding::HalfEven)));
    }

    void namesOfRoundings()
    {
        for (const Rounding rounding : {Rounding::HalfEven, Rounding::HalfAway, Rounding::HalfUp, Rounding::Floor,
                                        Rounding::Ceil, Rounding::Trunc, Rounding::Away, Rounding::HalfDown}) {
            QCOMPARE(roundingFromName(roundingName(rounding)), rounding);
        }
        QCOMPARE(roundingFromName(""), Rounding::HalfEven);
    }
};

QTEST_APPLESS_MAIN(TestArithmetic)
#include "tst_arithmetic.moc"
