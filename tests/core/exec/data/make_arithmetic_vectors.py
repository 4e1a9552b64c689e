# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes arithmetic_vectors.txt: sums of products of doubles with their exact sign and rounded quotient."""
import math
import pathlib
import random
from fractions import Fraction

random.seed(20)


def double(low, high):
    return math.ldexp(random.choice((-1, 1)) * random.uniform(0.5, 1), random.randint(low, high))


def scale(simple):
    return math.ldexp(random.choice((1, 1, 3, 5)), random.randint(-8, 2)) if simple else abs(double(-12, 2))


def row(terms, divisor):
    exact = sum((Fraction(a) * Fraction(b) * Fraction(c) for a, b, c in terms), Fraction(0))
    quotient = round(exact / Fraction(divisor))  # Python rounds half to even
    limit = 2**62
    quotient = max(-limit, min(limit, quotient))
    sign = (exact > 0) - (exact < 0)
    numbers = " ".join(x.hex() for term in terms for x in term)
    return f"{sign} {quotient} {divisor.hex()} {len(terms)} {numbers}"


rows = []
for _ in range(300):  # of ordinary size
    terms = [(double(0, 20), double(-12, 2), double(-12, 2)) for _ in range(random.randint(1, 5))]
    rows.append(row(terms, scale(False)))
for _ in range(600):  # integer codes and simple scales: many ties
    terms = [(float(random.randint(-500, 500)), scale(True), random.choice((1.0, 0.5))) for _ in range(random.randint(1, 3))]
    rows.append(row(terms, scale(True)))
for _ in range(200):  # a hair beside a tie
    divisor = scale(False)
    n = random.randint(-40000, 40000)
    hair = random.choice((-1, 0, 1)) * math.ldexp(divisor, random.randint(-300, -45))
    rows.append(row([(n + 0.5, divisor, 1.0), (hair, 1.0, 1.0)], divisor))
for _ in range(200):  # great numbers that cancel
    divisor = scale(False)
    a, b, c = double(30, 60), double(-10, 10), double(-10, 10)
    rest = (random.randint(-300, 300) + 0.5, divisor, 1.0)
    rows.append(row([(a, b, c), rest, (-a, c, b), (double(-200, -60), 1.0, 1.0)], divisor))
for _ in range(200):  # beyond the range of a double on the way
    a, b, c = double(900, 1023), double(900, 1023), double(-1073, -900)
    d, e, f = double(-1073, -1000), double(-1073, -1000), double(900, 1023)
    rows.append(row([(a, b, c), (d, e, f), (-b, a, c)], abs(double(-3, 3))))
for _ in range(50):  # that cancel to nothing
    a, b, c = double(-300, 300), double(-300, 300), double(-300, 300)
    rows.append(row([(a, b, c), (-c, a, b)], 1.0))
rows.append(row([(0.0, 1.0, 1.0)], 1.0))
rows.append(row([(5e-324, 5e-324, 5e-324), (1e308, -1e308, 1e308)], 1.0))
rows.append(row([(5e-324, 1.0, 1.0)], 5e-324))
rows.append(row([(2.0**62, 1.0, 1.0), (-0.5, 1.0, 1.0)], 1.0))
rows.append(row([(2.0**53, 1.0, 1.0), (0.5, 1.0, 1.0)], 1.0))
rows.append(row([(2.0**53, 1.0, 1.0), (1.5, 1.0, 1.0)], 1.0))
path = pathlib.Path(__file__).with_name("arithmetic_vectors.txt")
path.write_text("\n".join(rows) + "\n")
